#include <ordo/kernels/roi/roi_align.h>

#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "roi_align",
                  .family = "roi",
                  .dtypes = kFloatingTypes,
                  .algorithms = accumulate_levels(),
                  .note = "the algorithms are the backward pass's; without a sampling_ratio it waits for the device"});

namespace {

constexpr const char* kOp = "roi_align";
constexpr const char* kBackward = "roi_align_backward";
// A bin takes the square of it: more than any image has use for, and few enough to wait for.
constexpr int64_t kMostSamples = 1024;

void check_rules(const char* op, const RoiAlignRules& rules) {
  ORDO_CHECK(rules.sampling_ratio <= kMostSamples, ValueError, op, "sampling_ratio must be at most {}, but is {}",
             kMostSamples, rules.sampling_ratio);
}

}  // namespace

RoiShape roi_shape(const char* op, const Dims& sizes, DType dtype, Device device, const Tensor& boxes,
                   Size2 output_size) {
  ordo::detail::expect_defined(op, boxes, "boxes");
  ORDO_CHECK(boxes.device() == device, DeviceError, op, "input is on {}, but boxes are on {}", device, boxes.device());
  ORDO_CHECK(boxes.dtype() == dtype, DTypeError, op, "boxes must be {} as input, not {}", dtype, boxes.dtype());
  ORDO_CHECK(sizes.size() == 4, ShapeError, op, "takes an input [N, C, H, W], not of shape {}", sizes);
  ORDO_CHECK(boxes.dim() == 2 && boxes.size(1) == kBoxNumbers, ShapeError, op,
             "takes boxes [K, 5] with the number of an image and x1, y1, x2, y2, not of shape {}", boxes.sizes());
  check_each(op, "output_size", output_size, 1);
  ORDO_CHECK(sizes[2] < int64_t(1) << 31 && sizes[3] < int64_t(1) << 31, ShapeError, op,
             "takes images of less than 2^31 cells in height and width, not of shape {}", sizes);
  check_addressable(op, {boxes.size(0), sizes[1], output_size[0], output_size[1]});
  return {sizes[0], sizes[1], sizes[2], sizes[3], boxes.size(0), output_size[0], output_size[1]};
}

Tensor roi_align(const Tensor& input, const Tensor& boxes, const RoiAlignArguments& a) {
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_floating(kOp, input, "input");
  const RoiShape s = roi_shape(kOp, input.sizes(), input.dtype(), input.device(), boxes, a.output_size);
  check_rules(kOp, a.rules);
  const Tensor output = ordo::detail::result({s.boxes, s.channels, s.rows, s.columns}, input.dtype(), input.device());
  if (output.numel() > 0)
    ORDO_ON_DEVICE(input.device(), roi_align, contiguous(input), contiguous(boxes), output, s, a.rules);
  return output;
}

Tensor roi_align_backward(const Tensor& grad, const Tensor& boxes, const Dims& input_sizes, const RoiAlignArguments& a,
                          Algorithm algorithm) {
  const ordo::detail::OperationName name(kBackward);
  ordo::detail::expect_floating(kBackward, grad, "grad");
  const RoiShape s = roi_shape(kBackward, input_sizes, grad.dtype(), grad.device(), boxes, a.output_size);
  check_rules(kBackward, a.rules);
  ORDO_CHECK(grad.sizes() == Dims({s.boxes, s.channels, s.rows, s.columns}), ShapeError, kBackward,
             "the gradient has shape {}, which is not the result's", grad.sizes());
  // Rows of channels, which the engine adds.
  const Tensor output = full({s.images, s.cells(), s.channels}, 0, grad.dtype(), grad.device());
  const Tensor from = contiguous(boxes);
  int64_t items = 0;
  Tensor begin;
  if (output.numel() > 0 && grad.numel() > 0) {
    if (a.rules.sampling_ratio > 0) {
      items = checked::mul(kBackward, s.boxes * s.bins(), 4 * a.rules.sampling_ratio * a.rules.sampling_ratio);
    } else {
      // How many cells the bins have is known to the device.
      const Tensor counts = ordo::detail::result({s.boxes}, int64, grad.device());
      ORDO_ON_DEVICE(grad.device(), roi_align_counts, from, counts, s, a.rules);
      const Tensor sums = to(counts, Device(), int64);
      int64_t* const at = sums.data<int64_t>();
      for (int64_t k = 0; k < s.boxes; ++k) {
        const int64_t own = at[k];
        at[k] = items;
        items = checked::add(kBackward, items, own);
      }
      begin = to(sums, grad.device(), int64);
    }
  }
  algorithm = choose_accumulate(kBackward, algorithm, grad.dtype(), {Algorithm::sorted, Algorithm::atomic});
  if (items > 0) {
    const Tensor bins = views::view(contiguous(grad), {s.boxes, s.channels, s.bins()});
    ORDO_ON_DEVICE(grad.device(), roi_align_backward, contiguous(views::transpose(bins, 1, 2)), from, begin, items,
                   output, s, a.rules, algorithm);
  }
  return views::view(contiguous(views::transpose(output, 1, 2)), input_sizes);
}

}  // namespace ordo::kernels
