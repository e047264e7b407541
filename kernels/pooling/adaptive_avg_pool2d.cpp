#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/adaptive_avg_pool2d.h>
#include <ordo/kernels/pooling/avg_pool_cpu.h>
#include <ordo/kernels/pooling/checks.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "adaptive_avg_pool2d",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});

namespace cpu {

void adaptive_avg_pool2d(const Tensor& input, const Tensor& values, const AdaptiveWindows& windows) {
  dispatch_floating("adaptive_avg_pool2d", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows);
  });
}

void adaptive_avg_pool2d_backward(const Tensor& grad, const Tensor& output, const AdaptiveWindows& windows,
                                  Algorithm algorithm) {
  dispatch_floating("adaptive_avg_pool2d_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm);
  });
}

}  // namespace cpu

Tensor adaptive_avg_pool2d(const Tensor& input, Size2 output_size) {
  check_pool_input("adaptive_avg_pool2d", input);
  const auto windows = adaptive_windows("adaptive_avg_pool2d", input.sizes(), output_size);
  const Tensor values =
      ordo::detail::result(pooled_sizes(input.sizes(), output_size.h, output_size.w), input.dtype(), input.device());
  if (values.numel() > 0) ORDO_ON_DEVICE(input.device(), adaptive_avg_pool2d, contiguous(input), values, windows);
  return values;
}

Tensor adaptive_avg_pool2d_backward(const Tensor& grad, const Dims& input_sizes, Algorithm algorithm) {
  constexpr const char* op = "adaptive_avg_pool2d_backward";
  check_pool_grad(op, grad, {}, pooled_sizes(input_sizes, grad.size(-2), grad.size(-1)));
  const auto windows = adaptive_windows(op, input_sizes, {grad.size(-2), grad.size(-1)});
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), adaptive_avg_pool2d_backward, contiguous(grad), output, windows, algorithm);
  return output;
}

}  // namespace ordo::kernels
