#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/adaptive_max_pool.h>
#include <ordo/kernels/pooling/max_pool_cpu.h>

namespace ordo::kernels {

static const PoolRows kRows(kAdaptiveMaxPool), kRowsWithIndices(kAdaptiveMaxPoolWithIndices);

namespace cpu {

void adaptive_max_pool(const Tensor& input, const Tensor& values, const Tensor& indices,
                       const AdaptiveWindows& windows) {
  dispatch_floating("adaptive_max_pool", input.dtype(), [&]<class T>() {
    max_pool(input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr,
             values.numel() / windows.outputs(), windows);
  });
}

void adaptive_max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                const AdaptiveWindows& windows, Algorithm algorithm) {
  dispatch_floating("adaptive_max_pool_backward", grad.dtype(), [&]<class T>() {
    max_pool_backward(grad.data<T>(), indices.data<int64_t>(), output.data<T>(), grad.numel() / windows.outputs(),
                      windows, algorithm);
  });
}

}  // namespace cpu

namespace {
MaxPoolResult forward(const char* op, const Tensor& input, const AdaptivePoolArguments& arguments, bool with_indices) {
  check_pool_input(op, input, arguments.rank);
  const auto windows = pool_windows(op, input.sizes(), arguments);
  const Dims sizes = pooled_sizes(op, input.sizes(), arguments.rank, windows);
  MaxPoolResult result{ordo::detail::result(sizes, input.dtype(), input.device()), {}};
  if (with_indices) result.indices = ordo::detail::result(sizes, DType::int64, input.device());
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), adaptive_max_pool, contiguous(input), result.values, result.indices, windows);
  return result;
}
}  // namespace

Tensor adaptive_max_pool(const Tensor& input, const AdaptivePoolArguments& arguments) {
  return forward(kAdaptiveMaxPool[arguments.rank - 1], input, arguments, false).values;
}

MaxPoolResult adaptive_max_pool_with_indices(const Tensor& input, const AdaptivePoolArguments& arguments) {
  return forward(kAdaptiveMaxPoolWithIndices[arguments.rank - 1], input, arguments, true);
}

Tensor adaptive_max_pool_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes, int rank,
                                  Algorithm algorithm) {
  const char* const op = kAdaptiveMaxPoolBackward[rank - 1];
  ordo::detail::expect_defined(op, indices, "indices");
  check_pool_input(op, grad, rank);
  const auto windows = pool_windows(op, input_sizes, {rank, in_three(grad.sizes(), rank)});
  check_pool_grad(op, grad, indices, rank, pooled_sizes(op, input_sizes, rank, windows));
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), adaptive_max_pool_backward, contiguous(grad), contiguous(indices), output, windows,
                   algorithm);
  return output;
}

}  // namespace ordo::kernels
