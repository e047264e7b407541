#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/avg_pool.h>

namespace ordo::kernels {

static const PoolRows kRows(kAvgPool);

Tensor avg_pool(const Tensor& input, const PoolArguments& arguments) {
  const char* const op = kAvgPool.of(arguments);
  check_pool_input(op, input, arguments.rank);
  const Windows windows = pool_windows(op, input.sizes(), arguments);
  const Tensor values =
      ordo::detail::result(pooled_sizes(op, input.sizes(), arguments.rank, windows), input.dtype(), input.device());
  if (values.numel() > 0) ORDO_ON_DEVICE(input.device(), avg_pool, contiguous(input), values, windows);
  return values;
}

Tensor avg_pool_backward(const Tensor& grad, const Dims& input_sizes, const PoolArguments& arguments,
                         Algorithm algorithm) {
  const char* const op = kAvgPoolBackward.of(arguments);
  const Windows windows = pool_windows(op, input_sizes, arguments);
  check_pool_grad(op, grad, {}, arguments.rank, pooled_sizes(op, input_sizes, arguments.rank, windows));
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), avg_pool_backward, contiguous(grad), output, windows, algorithm);
  return output;
}

}  // namespace ordo::kernels
