#include <ordo/engine/check.h>
#include <ordo/kernels/pooling/checks.h>

namespace ordo::kernels {
namespace {

constexpr int64_t kMost = int64_t(1) << 31;  // keeps every product below in 64 bits

void check_argument(const char* op, const char* argument, Size2 value, int64_t least) {
  ORDO_CHECK(value.h >= least && value.w >= least && value.h < kMost && value.w < kMost, ValueError, op,
             "{} must be at least {} (and below 2^31) in both dimensions, not ({}, {})", argument, least, value.h,
             value.w);
}

SlidingAxis sliding_axis(const char* op, const char* name, int64_t input, int64_t kernel, int64_t stride,
                         int64_t padding, int64_t dilation, bool ceil_mode) {
  SlidingAxis axis{input, 0, kernel, stride, padding, dilation};
  const int64_t extent = dilation * (kernel - 1) + 1, room = input + 2 * padding - extent;
  // The first output fits by itself; with ceil_mode a last window may run over the end, if it begins before it.
  const int64_t last = ceil_mode ? room + stride - 1 : room;
  ORDO_CHECK(last >= 0, ShapeError, op, "a window of {} cells does not fit into {} {} with padding {}", extent, name,
             input, padding);
  axis.output = last / stride + 1;
  if ((axis.output - 1) * stride >= input + padding) --axis.output;
  if (padding > 0 && dilation > 1) {
    for (int64_t o = 0; o < axis.output; ++o) {
      ORDO_CHECK(axis.begin(o) < axis.end(o), ValueError, op,
                 "window {} along {} {} holds padding only: padding {} is too large for dilation {}", o, name, input,
                 padding, dilation);
    }
  }
  return axis;
}

}  // namespace

void check_pool_input(const char* op, const Tensor& input) {
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_floating(op, input);
  ORDO_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError, op,
             "takes an input of shape [N, C, H, W] or [C, H, W], not {}", input.sizes());
  ORDO_CHECK(input.size(-1) > 0 && input.size(-2) > 0, ShapeError, op,
             "takes an input whose height and width are not 0, not {}", input.sizes());
}

SlidingWindows sliding_windows(const char* op, const Dims& sizes, Size2 kernel, Size2 stride, Size2 padding,
                               Size2 dilation, bool ceil_mode) {
  check_argument(op, "kernel", kernel, 1);
  check_argument(op, "stride", stride, 1);
  check_argument(op, "padding", padding, 0);
  check_argument(op, "dilation", dilation, 1);
  ORDO_CHECK(padding.h <= kernel.h / 2 && padding.w <= kernel.w / 2, ValueError, op,
             "padding must be at most half of the kernel ({}, {}), not ({}, {})", kernel.h, kernel.w, padding.h,
             padding.w);
  const int rank = sizes.size();
  return {
      sliding_axis(op, "height", sizes[rank - 2], kernel.h, stride.h, padding.h, dilation.h, ceil_mode),
      sliding_axis(op, "width", sizes[rank - 1], kernel.w, stride.w, padding.w, dilation.w, ceil_mode),
  };
}

AdaptiveWindows adaptive_windows(const char* op, const Dims& sizes, Size2 output_size) {
  check_argument(op, "output_size", output_size, 1);
  const int rank = sizes.size();
  return {{sizes[rank - 2], output_size.h}, {sizes[rank - 1], output_size.w}};
}

Dims pooled_sizes(const Dims& sizes, int64_t h, int64_t w) {
  Dims pooled = sizes;
  pooled[sizes.size() - 2] = h;
  pooled[sizes.size() - 1] = w;
  return pooled;
}

void check_pool_grad(const char* op, const Tensor& grad, const Tensor& indices, const Dims& expected) {
  check_pool_input(op, grad);
  ORDO_CHECK(grad.sizes() == expected, ShapeError, op, "the gradient has shape {}, the result had {}", grad.sizes(),
             expected);
  if (!indices.defined()) return;
  ordo::detail::expect_same_device(op, grad, indices);
  ORDO_CHECK(indices.dtype() == DType::int64, DTypeError, op, "takes indices of dtype int64, not {}", indices.dtype());
  ORDO_CHECK(indices.sizes() == expected, ShapeError, op, "the indices have shape {}, the result had {}",
             indices.sizes(), expected);
}

}  // namespace ordo::kernels
