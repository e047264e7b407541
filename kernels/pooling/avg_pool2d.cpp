#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/avg_pool2d.h>
#include <ordo/kernels/pooling/avg_pool_cpu.h>
#include <ordo/kernels/pooling/checks.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "avg_pool2d",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});

namespace cpu {

void avg_pool2d(const Tensor& input, const Tensor& values, const SlidingWindows& windows) {
  dispatch_floating("avg_pool2d", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows);
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm) {
  dispatch_floating("avg_pool2d_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm);
  });
}

}  // namespace cpu

namespace {
SlidingWindows windows_of(const char* op, const Dims& sizes, Size2 kernel, OptionalSize2 stride, Size2 padding,
                          bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  auto windows = sliding_windows(op, sizes, kernel, stride.value_or(kernel), padding, 1, ceil_mode);
  ORDO_CHECK(divisor_override != 0, ValueError, op, "divisor_override must not be 0");
  windows.count_padding = count_include_pad;
  windows.divisor_override = divisor_override.value_or(0);
  return windows;
}
}  // namespace

Tensor avg_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  check_pool_input("avg_pool2d", input);
  const auto windows =
      windows_of("avg_pool2d", input.sizes(), kernel, stride, padding, ceil_mode, count_include_pad, divisor_override);
  const Tensor values = ordo::detail::result(pooled_sizes(input.sizes(), windows.h.output, windows.w.output),
                                             input.dtype(), input.device());
  if (values.numel() > 0) ORDO_ON_DEVICE(input.device(), avg_pool2d, contiguous(input), values, windows);
  return values;
}

Tensor avg_pool2d_backward(const Tensor& grad, const Dims& input_sizes, Size2 kernel, OptionalSize2 stride,
                           Size2 padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override, Algorithm algorithm) {
  constexpr const char* op = "avg_pool2d_backward";
  const auto windows =
      windows_of(op, input_sizes, kernel, stride, padding, ceil_mode, count_include_pad, divisor_override);
  check_pool_grad(op, grad, {}, pooled_sizes(input_sizes, windows.h.output, windows.w.output));
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), avg_pool2d_backward, contiguous(grad), output, windows, algorithm);
  return output;
}

}  // namespace ordo::kernels
