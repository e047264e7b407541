#include <ordo/kernels/conv2d/conv2d.h>

#include <ordo/engine/determinism.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

static const AlgorithmLevels kConvolutionAlgorithms = {{Algorithm::library, Determinism::run_to_run},
                                                       {Algorithm::direct, Determinism::device_to_device}};
ORDO_REGISTER_OP(
    {.name = "conv2d", .family = "conv2d", .dtypes = kFloatingTypes, .algorithms = kConvolutionAlgorithms});
ORDO_REGISTER_OP(
    {.name = "conv2d_input_grad", .family = "conv2d", .dtypes = kFloatingTypes, .algorithms = kConvolutionAlgorithms});
ORDO_REGISTER_OP(
    {.name = "conv2d_weight_grad", .family = "conv2d", .dtypes = kFloatingTypes, .algorithms = kConvolutionAlgorithms});

namespace {

int64_t output_size(const char* op, const char* side, int64_t input, int64_t kernel, int64_t stride, int64_t padding,
                    int64_t dilation) {
  const int64_t reach = dilation * (kernel - 1) + 1;
  ORDO_CHECK(input + 2 * padding >= reach, ShapeError, op,
             "the kernel's {} reaches over {} elements, but the padded input has {}", side, reach, input + 2 * padding);
  return (input + 2 * padding - reach) / stride + 1;
}

ConvShape make_shape(const char* op, const Dims& x, const Dims& weight, const Conv2dOptions& options) {
  ORDO_CHECK(x.size() == 4, ShapeError, op, "the input must be [N, C, H, W] or [C, H, W], not {}", x);
  ORDO_CHECK(weight.size() == 4, ShapeError, op, "the weight must be [O, C / groups, kH, kW], not {}", weight);
  const Size2 stride = options.stride, padding = options.padding, dilation = options.dilation;
  ORDO_CHECK(stride.h >= 1 && stride.w >= 1, ValueError, op, "the stride must be positive, not ({}, {})", stride.h,
             stride.w);
  ORDO_CHECK(dilation.h >= 1 && dilation.w >= 1, ValueError, op, "the dilation must be positive, not ({}, {})",
             dilation.h, dilation.w);
  ORDO_CHECK(padding.h >= 0 && padding.w >= 0, ValueError, op, "the padding must not be negative: ({}, {})", padding.h,
             padding.w);
  const int64_t groups = options.groups;
  ORDO_CHECK(groups >= 1, ValueError, op, "groups must be positive, not {}", groups);
  ORDO_CHECK(x[1] == weight[1] * groups, ShapeError, op,
             "an input of {} has {} channels, but a weight of {} with groups = {} takes {}", x, x[1], weight, groups,
             weight[1] * groups);
  ORDO_CHECK(weight[0] % groups == 0, ShapeError, op, "the weight's {} filters do not divide into {} groups", weight[0],
             groups);
  ORDO_CHECK(weight[2] >= 1 && weight[3] >= 1, ShapeError, op, "the kernel is empty: the weight is {}", weight);
  return {.samples = x[0],
          .groups = groups,
          .channels = weight[1],
          .filters = weight[0] / groups,
          .height = x[2],
          .width = x[3],
          .kernel_h = weight[2],
          .kernel_w = weight[3],
          .out_h = output_size(op, "height", x[2], weight[2], stride.h, padding.h, dilation.h),
          .out_w = output_size(op, "width", x[3], weight[3], stride.w, padding.w, dilation.w),
          .stride_h = stride.h,
          .stride_w = stride.w,
          .pad_h = padding.h,
          .pad_w = padding.w,
          .dilation_h = dilation.h,
          .dilation_w = dilation.w};
}

Dims output_sizes(const ConvShape& s) { return {s.samples, s.groups * s.filters, s.out_h, s.out_w}; }

void check_operands(const char* op, const Tensor& a, const Tensor& b) {
  detail::expect_floating(op, a);
  detail::expect_same_device(op, a, b);
  detail::expect_same_dtype(op, a, b);
}

void check_grad(const char* op, const Tensor& grad, const ConvShape& s) {
  ORDO_CHECK(grad.sizes() == output_sizes(s), ShapeError, op, "the gradient of the output must be {}, not {}",
             output_sizes(s), grad.sizes());
}

bool ordered() { return determinism() == Determinism::device_to_device; }

}  // namespace

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dOptions& options) {
  check_operands("conv2d", x, weight);
  const ConvShape s = make_shape("conv2d", x.sizes(), weight.sizes(), options);
  if (bias.defined()) {
    check_operands("conv2d", x, bias);
    ORDO_CHECK(bias.dim() == 1 && bias.sizes()[0] == weight.sizes()[0], ShapeError, "conv2d",
               "the bias must be [{}] for a weight of {}, not {}", weight.sizes()[0], weight.sizes(), bias.sizes());
  }
  const Tensor y = detail::result(output_sizes(s), x.dtype(), x.device());
  if (y.numel() == 0) return y;
  const Tensor input = contiguous(x), filters = contiguous(weight);
  const Tensor offset = bias.defined() ? contiguous(bias) : bias;
  ORDO_ON_DEVICE(x.device(), conv2d, s, input, filters, offset, y, ordered());
  return y;
}

Tensor conv2d_input_grad(const Tensor& grad, const Tensor& weight, const Dims& sizes, const Conv2dOptions& options) {
  check_operands("conv2d_input_grad", grad, weight);
  const ConvShape s = make_shape("conv2d_input_grad", sizes, weight.sizes(), options);
  check_grad("conv2d_input_grad", grad, s);
  if (grad.numel() == 0) return full(sizes, 0, grad.dtype(), grad.device());
  const Tensor x_grad = detail::result(sizes, grad.dtype(), grad.device());
  if (x_grad.numel() == 0) return x_grad;
  const Tensor output_grad = contiguous(grad), filters = contiguous(weight);
  ORDO_ON_DEVICE(grad.device(), conv2d_input_grad, s, output_grad, filters, x_grad, ordered());
  return x_grad;
}

Tensor conv2d_weight_grad(const Tensor& grad, const Tensor& x, const Dims& sizes, const Conv2dOptions& options) {
  check_operands("conv2d_weight_grad", grad, x);
  const ConvShape s = make_shape("conv2d_weight_grad", x.sizes(), sizes, options);
  check_grad("conv2d_weight_grad", grad, s);
  if (grad.numel() == 0) return full(sizes, 0, grad.dtype(), grad.device());
  const Tensor weight_grad = detail::result(sizes, grad.dtype(), grad.device());
  if (weight_grad.numel() == 0) return weight_grad;
  const Tensor output_grad = contiguous(grad), input = contiguous(x);
  ORDO_ON_DEVICE(grad.device(), conv2d_weight_grad, s, output_grad, input, weight_grad, ordered());
  return weight_grad;
}

}  // namespace ordo::kernels
