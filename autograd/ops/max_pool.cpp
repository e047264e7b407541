#include <ordo/autograd/ops/max_pool.h>
#include <ordo/autograd/ops/max_pool_take.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/max_pool.h>

namespace ordo {
namespace {

using Arguments = kernels::PoolArguments;

Tensor backward(const Tensor& grad, const Saved& indices, const Dims& input_sizes, const Arguments& a) {
  return record(
      kernels::kMaxPoolBackward[a.rank - 1], kernels::max_pool_backward(grad, indices.get(), input_sizes, a), {grad},
      [indices, rank = a.rank](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get(), rank)}; });
}

MaxPoolResult forward(const char* name, const Tensor& input, const Arguments& a) {
  MaxPoolResult result = kernels::max_pool_with_indices(input, a);
  result.values = record(name, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                           return {backward(grad, indices, sizes, a)};
                         });
  return result;
}

/// Without a gradient, no indices are needed.
Tensor values(const Tensor& input, const Arguments& a) {
  if (input.defined() && grad_enabled() && input.requires_grad())
    return forward(kernels::kMaxPool[a.rank - 1], input, a).values;
  return kernels::max_pool(input, a);
}

MaxPoolResult with_indices(const Tensor& input, const Arguments& a) {
  return forward(kernels::kMaxPoolWithIndices[a.rank - 1], input, a);
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
