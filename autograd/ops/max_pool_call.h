// The recorded calls of a maximum pooling, over sliding or adaptive windows. Internal.
#pragma once

#include <ordo/autograd/ops/gather.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/pooling/max_pool.h>

namespace ordo::detail {

/// From every volume of `t`, its last `rank` dimensions, the elements at `indices`, flat positions in the volume: the
/// adjoint of the backward pass.
inline Tensor max_pool_take(const Tensor& t, const Tensor& indices, int rank) {
  return gather(t.flatten(-rank, -1), -1, indices.flatten(-rank, -1)).reshape(indices.sizes());
}

template <class Arguments>
Tensor max_pool_backward_call(const Tensor& grad, const Saved& indices, const Dims& input_sizes, const Arguments& a) {
  const OpCall call(kernels::kMaxPoolBackward.of(a), grad, indices.get(), input_sizes, a);
  return record(
      call, kernels::max_pool_backward(grad, indices.get(), input_sizes, a), {grad},
      [indices, rank = a.rank](const Tensor& g) -> TensorList { return {max_pool_take(g, indices.get(), rank)}; });
}

template <class Arguments>
MaxPoolResult max_pool_forward(const OpCall& call, const Tensor& input, const Arguments& a) {
  MaxPoolResult result = kernels::max_pool_with_indices(input, a);
  result.values = record(call, std::move(result.values), {input},
                         [indices = Saved(result.indices), sizes = input.sizes(), a](const Tensor& grad) -> TensorList {
                           return {max_pool_backward_call(grad, indices, sizes, a)};
                         });
  call.done(result.indices);
  return result;
}

/// Without a gradient, no indices are needed.
template <class Arguments>
Tensor max_pool_call(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kMaxPool.of(a), input, a);
  if (recorded(input)) return max_pool_forward(call, input, a).values;
  return call.done(kernels::max_pool(input, a));
}

template <class Arguments>
MaxPoolResult max_pool_with_indices_call(const Tensor& input, const Arguments& a) {
  const OpCall call(kernels::kMaxPoolWithIndices.of(a), input, a);
  return max_pool_forward(call, input, a);
}

}  // namespace ordo::detail
