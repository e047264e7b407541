#include <ordo/autograd/ops/adaptive_max_pool.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/max_pool_take.h>
#include <ordo/kernels/pooling/adaptive_max_pool.h>

namespace ordo {
namespace {

using Arguments = kernels::AdaptivePoolArguments;

Tensor backward(const Tensor& grad, const Saved& indices, const Dims& input_sizes, const Arguments& a) {
  return record(
      kernels::kAdaptiveMaxPoolBackward[a.rank - 1],
      kernels::adaptive_max_pool_backward(grad, indices.get(), input_sizes, a.rank), {grad},
      [indices, rank = a.rank](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get(), rank)}; });
}

MaxPoolResult forward(const OpCall& call, const Tensor& input, const Arguments& a) {
  MaxPoolResult result = kernels::adaptive_max_pool_with_indices(input, a);
  result.values = record(call, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                           return {backward(grad, indices, sizes, a)};
                         });
  call.done(result.indices);
  return result;
}

/// Without a gradient, no indices are needed.
Tensor values(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kAdaptiveMaxPool[a.rank - 1], input, a);
  if (detail::recorded(input)) return forward(call, input, a).values;
  return call.done(kernels::adaptive_max_pool(input, a));
}

MaxPoolResult with_indices(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kAdaptiveMaxPoolWithIndices[a.rank - 1], input, a);
  return forward(call, input, a);
}

}  // namespace

Tensor adaptive_max_pool1d(const Tensor& input, Size1 output_size) {
  return values(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size) {
  return values(input, kernels::adaptive_pool_arguments(output_size));
}
Tensor adaptive_max_pool3d(const Tensor& input, Size3 output_size) {
  return values(input, kernels::adaptive_pool_arguments(output_size));
}

MaxPoolResult adaptive_max_pool1d_with_indices(const Tensor& input, Size1 output_size) {
  return with_indices(input, kernels::adaptive_pool_arguments(output_size));
}
MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size) {
  return with_indices(input, kernels::adaptive_pool_arguments(output_size));
}
MaxPoolResult adaptive_max_pool3d_with_indices(const Tensor& input, Size3 output_size) {
  return with_indices(input, kernels::adaptive_pool_arguments(output_size));
}

}  // namespace ordo
