#include <ordo/engine/dispatch.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/pooling/checks.h>
#include <ordo/kernels/pooling/max_pool2d.h>
#include <ordo/kernels/pooling/max_pool_cpu.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "max_pool2d",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});
ORDO_REGISTER_OP({.name = "max_pool2d_with_indices",
                  .family = "pooling",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "the algorithms are the backward pass's"});

namespace cpu {

void max_pool2d(const Tensor& input, const Tensor& values, const Tensor& indices, const SlidingWindows& windows) {
  dispatch_floating("max_pool2d", input.dtype(), [&]<class T>() {
    max_pool(input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr,
             values.numel() / windows.outputs(), windows);
  });
}

void max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const SlidingWindows& windows,
                         Algorithm algorithm) {
  dispatch_floating("max_pool2d_backward", grad.dtype(), [&]<class T>() {
    max_pool_backward(grad.data<T>(), indices.data<int64_t>(), output.data<T>(), grad.numel() / windows.outputs(),
                      windows, algorithm);
  });
}

}  // namespace cpu

namespace {
MaxPoolResult forward(const char* op, const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding,
                      Size2 dilation, bool ceil_mode, bool with_indices) {
  check_pool_input(op, input);
  const auto windows =
      sliding_windows(op, input.sizes(), kernel, stride.value_or(kernel), padding, dilation, ceil_mode);
  const Dims sizes = pooled_sizes(input.sizes(), windows.h.output, windows.w.output);
  MaxPoolResult result{ordo::detail::result(sizes, input.dtype(), input.device()), {}};
  if (with_indices) result.indices = ordo::detail::result(sizes, DType::int64, input.device());
  if (result.values.numel() > 0)
    ORDO_ON_DEVICE(input.device(), max_pool2d, contiguous(input), result.values, result.indices, windows);
  return result;
}
}  // namespace

Tensor max_pool2d(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding, Size2 dilation,
                  bool ceil_mode) {
  return forward("max_pool2d", input, kernel, stride, padding, dilation, ceil_mode, false).values;
}

MaxPoolResult max_pool2d_with_indices(const Tensor& input, Size2 kernel, OptionalSize2 stride, Size2 padding,
                                      Size2 dilation, bool ceil_mode) {
  return forward("max_pool2d_with_indices", input, kernel, stride, padding, dilation, ceil_mode, true);
}

Tensor max_pool2d_backward(const Tensor& grad, const Tensor& indices, const Dims& input_sizes, Size2 kernel,
                           OptionalSize2 stride, Size2 padding, Size2 dilation, bool ceil_mode, Algorithm algorithm) {
  constexpr const char* op = "max_pool2d_backward";
  const auto windows = sliding_windows(op, input_sizes, kernel, stride.value_or(kernel), padding, dilation, ceil_mode);
  ordo::detail::expect_defined(op, indices, "indices");
  check_pool_grad(op, grad, indices, pooled_sizes(input_sizes, windows.h.output, windows.w.output));
  algorithm = choose_accumulate(op, algorithm, grad.dtype(), {Algorithm::gather, Algorithm::atomic});
  const Tensor output = ordo::detail::result(input_sizes, grad.dtype(), grad.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(grad.device(), max_pool2d_backward, contiguous(grad), contiguous(indices), output, windows,
                   algorithm);
  return output;
}

}  // namespace ordo::kernels
