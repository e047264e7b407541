#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/max_pool.h>
#include <ordo/autograd/ops/max_pool_take.h>
#include <ordo/kernels/pooling/max_pool.h>

namespace ordo {
namespace {

using Arguments = kernels::PoolArguments;

Tensor backward(const Tensor& grad, const Saved& indices, const Dims& input_sizes, const Arguments& a) {
  const OpCall call(kernels::kMaxPoolBackward[a.rank - 1], grad, indices.get(), input_sizes, a);
  return record(
      call, kernels::max_pool_backward(grad, indices.get(), input_sizes, a), {grad},
      [indices, rank = a.rank](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get(), rank)}; });
}

MaxPoolResult forward(const OpCall& call, const Tensor& input, const Arguments& a) {
  MaxPoolResult result = kernels::max_pool_with_indices(input, a);
  result.values = record(call, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                           return {backward(grad, indices, sizes, a)};
                         });
  call.done(result.indices);
  return result;
}

/// Without a gradient, no indices are needed.
Tensor values(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kMaxPool[a.rank - 1], input, a);
  if (detail::recorded(input)) return forward(call, input, a).values;
  return call.done(kernels::max_pool(input, a));
}

MaxPoolResult with_indices(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kMaxPoolWithIndices[a.rank - 1], input, a);
  return forward(call, input, a);
}

}  // namespace

Tensor max_pool1d(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding, Size1 dilation,
                  bool ceil_mode) {
  return values(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, Size2 dilation,
                  bool ceil_mode) {
  return values(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding, Size3 dilation,
                  bool ceil_mode) {
  return values(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}

MaxPoolResult max_pool1d_with_indices(const Tensor& input, Size1 kernel, OptionalSize1 stride, Size1 padding,
                                      Size1 dilation, bool ceil_mode) {
  return with_indices(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding,
                                      Size2 dilation, bool ceil_mode) {
  return with_indices(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}
MaxPoolResult max_pool3d_with_indices(const Tensor& input, Size3 kernel, OptionalSize3 stride, Size3 padding,
                                      Size3 dilation, bool ceil_mode) {
  return with_indices(input, kernels::max_pool_arguments(kernel, stride, padding, dilation, ceil_mode));
}

}  // namespace ordo
