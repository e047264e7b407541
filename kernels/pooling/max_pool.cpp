#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/max_pool.h>

namespace ordo::kernels {

static const PoolRows kRows(kMaxPool), kRowsWithIndices(kMaxPoolWithIndices);

static MaxPoolResult forward(const char* op, const Tensor& input, const PoolArguments& arguments, bool with_indices) {
  check_pool_input(op, input, arguments.rank);
  const Windows windows = pool_windows(op, input.sizes(), arguments);
  const Dims sizes = pooled_sizes(op, input.sizes(), arguments.rank, windows);
  MaxPoolResult result{ordo::detail::result(sizes, input.dtype(), input.device()), {}};
  if (with_indices) result.indices = ordo::detail::result(sizes, DType::int64, input.device());
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), max_pool, contiguous(input), result.values, result.indices, windows);
  return result;
}

Tensor max_pool(const Tensor& input, const PoolArguments& arguments) {
  return forward(kMaxPool.of(arguments), input, arguments, false).values;
}

MaxPoolResult max_pool_with_indices(const Tensor& input, const PoolArguments& arguments) {
  return forward(kMaxPoolWithIndices.of(arguments), input, arguments, true);
}

Tensor max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                         const PoolArguments& arguments, Algorithm algorithm) {
  const char* const op = kMaxPoolBackward.of(arguments);
  const Windows windows = pool_windows(op, input_sizes, arguments);
  ordo::detail::expect_defined(op, indices, "indices");
  check_pool_grad(op, grad, indices, arguments.rank, pooled_sizes(op, input_sizes, arguments.rank, windows));
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), max_pool_backward, contiguous(grad), contiguous(indices), output, windows, algorithm);
  return output;
}

}  // namespace ordo::kernels
