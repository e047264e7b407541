#include <ordo/autograd/ops/fractional_max_pool.h>

#include <ordo/autograd/ops/max_pool_call.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/autograd/ops/scatter_add.h>
#include <ordo/kernels/pooling/fractional_max_pool.h>

namespace ordo {

#define ORDO_FRACTIONAL(name_)                                                                      \
  ORDO_REGISTER_OP({.name = name_,                                                                  \
                    .family = "pooling",                                                            \
                    .dtypes = kFloatingTypes,                                                       \
                    .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},                \
                                   {Algorithm::sorted, Determinism::device_to_device},              \
                                   {Algorithm::exact, Determinism::device_to_device, kExactTypes}}, \
                    .note = "the algorithms are those of the backward pass, which is a scatter_add"})
ORDO_FRACTIONAL("fractional_max_pool2d");
ORDO_FRACTIONAL("fractional_max_pool2d_with_indices");
ORDO_FRACTIONAL("fractional_max_pool3d");
ORDO_FRACTIONAL("fractional_max_pool3d_with_indices");

namespace {

template <int N>
MaxPoolResult fractional(const OpCall& call, const Tensor& input, Size<N> kernel, const OptionalSize<N>& output_size,
                         const std::vector<double>& ratio, Tensor samples, Generator* generator) {
  const char* const op = call.name();
  kernels::check_pool_input(op, input, N);
  kernels::check_each(op, "kernel_size", kernel, 1);
  // An output_size that is left out takes any default.
  const bool given = output_size.value_or(0)[0] == output_size.value_or(1)[0];
  Dims wanted = Dims::filled(N, 0);
  for (int i = 0; i < N; ++i) wanted[i] = output_size.value_or(0)[i];
  ORDO_CHECK(given == ratio.empty(), ValueError, op, "takes either an output_size or an output_ratio");
  if (!ratio.empty()) {
    ORDO_CHECK(ratio.size() == 1 || ratio.size() == size_t(N), ValueError, op,
               "takes an output_ratio of 1 or {} numbers, not {}", N, ratio.size());
    for (int i = 0; i < N; ++i) {
      const double r = ratio[ratio.size() == 1 ? 0 : size_t(i)];
      ORDO_CHECK(r > 0 && r < 1, ValueError, op, "output_ratio must be between 0 and 1, but is {}", r);
      wanted[i] = int64_t(double(input.size(i - N)) * r);
    }
  }
  const Size3 outputs = kernels::in_three(wanted, N);
  kernels::check_each(op, "output_size", outputs, N, 1);
  const bool batched = input.dim() == N + 2;
  const Dims expected = {batched ? input.size(0) : 1, input.size(batched ? 1 : 0), N};
  if (samples.defined()) {
    detail::expect_same_device(op, input, samples);
    ORDO_CHECK(samples.dtype() == input.dtype(), DTypeError, op, "random_samples must be {} as input, not {}",
               name(input.dtype()), name(samples.dtype()));
    ORDO_CHECK(samples.sizes() == expected, ShapeError, op, "random_samples must have shape {}, not {}", expected,
               samples.sizes());
  } else {
    NoGrad guard;
    samples = rand(expected, input.options(), generator);
  }
  MaxPoolResult result = kernels::fractional_max_pool(op, input, N, kernels::in_three(kernel, 1), outputs, samples);
  result.values =
      record(call, std::move(result.values), {input},
             [indices = Saved(result.indices), sizes = input.sizes()](const Tensor& grad) -> TensorList {
               const Tensor zero = zeros(sizes, grad.options()).flatten(-N, -1);
               return {scatter_add(zero, -1, indices.get().flatten(-N, -1), grad.flatten(-N, -1)).reshape(sizes)};
             });
  return result;
}

}  // namespace

Tensor fractional_max_pool2d(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size,
                             const std::vector<double>& output_ratio, const Tensor& random_samples,
                             Generator* generator) {
  const OpCall call("fractional_max_pool2d", input, kernel_size, output_size.value_or(0), output_ratio, random_samples);
  return fractional<2>(call, input, kernel_size, output_size, output_ratio, random_samples, generator).values;
}
MaxPoolResult fractional_max_pool2d_with_indices(const Tensor& input, Size2 kernel_size, OptionalSize2 output_size,
                                                 const std::vector<double>& output_ratio, const Tensor& random_samples,
                                                 Generator* generator) {
  const OpCall call("fractional_max_pool2d_with_indices", input, kernel_size, output_size.value_or(0), output_ratio,
                    random_samples);
  const MaxPoolResult result =
      fractional<2>(call, input, kernel_size, output_size, output_ratio, random_samples, generator);
  call.done(result.indices);
  return result;
}
Tensor fractional_max_pool3d(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size,
                             const std::vector<double>& output_ratio, const Tensor& random_samples,
                             Generator* generator) {
  const OpCall call("fractional_max_pool3d", input, kernel_size, output_size.value_or(0), output_ratio, random_samples);
  return fractional<3>(call, input, kernel_size, output_size, output_ratio, random_samples, generator).values;
}
MaxPoolResult fractional_max_pool3d_with_indices(const Tensor& input, Size3 kernel_size, OptionalSize3 output_size,
                                                 const std::vector<double>& output_ratio, const Tensor& random_samples,
                                                 Generator* generator) {
  const OpCall call("fractional_max_pool3d_with_indices", input, kernel_size, output_size.value_or(0), output_ratio,
                    random_samples);
  const MaxPoolResult result =
      fractional<3>(call, input, kernel_size, output_size, output_ratio, random_samples, generator);
  call.done(result.indices);
  return result;
}

}  // namespace ordo
