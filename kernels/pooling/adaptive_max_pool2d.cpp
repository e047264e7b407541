#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/adaptive_max_pool2d.h>
#include <ordo/kernels/pooling/checks.h>
#include <ordo/kernels/pooling/max_pool_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "adaptive_max_pool2d",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});
ORDO_REGISTER_OP({.name = "adaptive_max_pool2d_with_indices",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});

namespace cpu {

void adaptive_max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices,
                         const AdaptiveWindows& windows) {
  dispatch_floating("adaptive_max_pool2d", input.dtype(), [&]<class T>() {
    max_pool(input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr,
             values.numel() / windows.outputs(), windows);
  });
}

void adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output,
                                  const AdaptiveWindows& windows, Algorithm algorithm) {
  dispatch_floating("adaptive_max_pool2d_backward", grad.dtype(), [&]<class T>() {
    max_pool_backward(grad.data<T>(), indices.data<int64_t>(), output.data<T>(), grad.numel() / windows.outputs(),
                      windows, algorithm);
  });
}

}  // namespace cpu

namespace {
MaxPoolResult forward(const char* op, const Tensor& input, Size2 output_size, bool with_indices) {
  check_pool_input(op, input);
  const auto windows = adaptive_windows(op, input.sizes(), output_size);
  const Dims sizes = pooled_sizes(input.sizes(), output_size.h, output_size.w);
  MaxPoolResult result{ordo::detail::result(sizes, input.dtype(), input.device()), {}};
  if (with_indices) result.indices = ordo::detail::result(sizes, DType::int64, input.device());
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), adaptive_max_pool2d, contiguous(input), result.values, result.indices, windows);
  return result;
}
}  // namespace

Tensor adaptive_max_pool2d(const Tensor& input, Size2 output_size) {
  return forward("adaptive_max_pool2d", input, output_size, false).values;
}

MaxPoolResult adaptive_max_pool2d_with_indices(const Tensor& input, Size2 output_size) {
  return forward("adaptive_max_pool2d_with_indices", input, output_size, true);
}

Tensor adaptive_max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes,
                                    Algorithm algorithm) {
  constexpr const char* op = "adaptive_max_pool2d_backward";
  ordo::detail::expect_defined(op, indices, "indices");
  check_pool_grad(op, grad, indices, pooled_sizes(input_sizes, grad.size(-2), grad.size(-1)));
  const auto windows = adaptive_windows(op, input_sizes, {grad.size(-2), grad.size(-1)});
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), adaptive_max_pool2d_backward, contiguous(grad), contiguous(indices), output, windows,
                   algorithm);
  return output;
}

}  // namespace ordo::kernels
