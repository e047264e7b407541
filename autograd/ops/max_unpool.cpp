#include <ordo/autograd/ops/max_unpool.h>

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/checked.h>
#include <ordo/kernels/scatter/scatter.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "max_unpool1d", .family = "pooling", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "max_unpool2d", .family = "pooling", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "max_unpool3d", .family = "pooling", .dtypes = kFloatingTypes});

namespace {

template <int N>
Dims unpooled_sizes(const char* op, const Tensor& input, Size<N> kernel, Size<N> stride, Size<N> padding,
                    const Dims& output_size) {
  kernels::check_each(op, "kernel_size", kernel, 1);
  kernels::check_each(op, "stride", stride, 1);
  kernels::check_each(op, "padding", padding, 0);
  ORDO_CHECK(output_size.empty() || output_size.size() == N || output_size.size() == input.dim(), ValueError, op,
             "takes an output_size of {} or {} numbers, not {}", N, input.dim(), output_size);
  Dims sizes = input.sizes();
  for (int i = 1; i <= N; ++i) {
    const int64_t step = stride[N - i], spread = checked::mul(op, input.size(-i) - 1, step);
    const int64_t fit = checked::add(op, spread, kernel[N - i] - 2 * padding[N - i]);
    const int64_t size = output_size.empty() ? fit : output_size[output_size.size() - i];
    ORDO_CHECK(size >= 1 && size < checked::add(op, fit, step) && size > fit - step, ValueError, op,
               "{} {} of a pooled size {} must be at least 1 and between {} and {}", kernels::kAxisNames[3 - i], size,
               input.size(-i), fit - step + 1, fit + step - 1);
    sizes[sizes.size() - i] = size;
  }
  return kernels::check_addressable(op, sizes);
}

template <int N>
Tensor unpool(const OpCall& call, const Tensor& input, const Tensor& indices, Size<N> kernel, Size<N> stride,
              Size<N> padding, const Dims& output_size) {
  const char* const op = call.name();
  detail::expect_defined(op, input, "input");
  detail::expect_defined(op, indices, "indices");
  detail::expect_same_device(op, input, indices);
  detail::expect_floating(op, input);
  detail::expect_index_dtype(op, indices);
  ORDO_CHECK(input.dim() == N + 1 || input.dim() == N + 2, ShapeError, op,
             "takes an input of {} or {} dimensions, not of shape {}", N + 1, N + 2, input.sizes());
  ORDO_CHECK(indices.sizes() == input.sizes(), ShapeError, op,
             "input and indices must have one shape, but have {} and {}", input.sizes(), indices.sizes());
  for (int i = 1; i <= N; ++i)
    ORDO_CHECK(input.size(-i) > 0, ShapeError, op, "takes an input whose {} is not 0, not {}",
               kernels::kAxisNames[3 - i], input.sizes());
  const Dims sizes = unpooled_sizes(op, input, kernel, stride, padding, output_size);
  int64_t planes = 1, places = 1, cells = 1;
  for (int d = 0; d < input.dim(); ++d) {
    const bool spatial = d >= input.dim() - N;
    (spatial ? places : planes) *= input.sizes()[d];
    if (spatial) cells *= sizes[d];
  }
  // Element [plane, place] goes to [plane, index].
  const Tensor place = indices.reshape({planes, places});
  Tensor result;
  {
    NoGrad guard;
    result = zeros({planes, cells}, input.options());
    kernels::scatter_(op, kernels::IndexOf::elements, result, 1, place, input.reshape({planes, places}));
    result = views::view(result, sizes);
  }
  return record(call, std::move(result), {input},
                [place = Saved(place), planes, cells, from = input.sizes()](const Tensor& grad) -> TensorList {
                  return {gather(grad.reshape({planes, cells}), 1, place.get()).reshape(from)};
                });
}

}  // namespace

Tensor max_unpool1d(const Tensor& input, const Tensor& indices, Size1 kernel_size, OptionalSize1 stride, Size1 padding,
                    const Dims& output_size) {
  const OpCall call("max_unpool1d", input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
  return unpool<1>(call, input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices, Size2 kernel_size, OptionalSize2 stride, Size2 padding,
                    const Dims& output_size) {
  const OpCall call("max_unpool2d", input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
  return unpool<2>(call, input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, Size3 kernel_size, OptionalSize3 stride, Size3 padding,
                    const Dims& output_size) {
  const OpCall call("max_unpool3d", input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
  return unpool<3>(call, input, indices, kernel_size, stride.value_or(kernel_size), padding, output_size);
}

}  // namespace ordo
