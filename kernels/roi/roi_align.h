// Bins of boxes on images, by bilinear samples, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/roi/roi_boxes.h>

namespace ordo::kernels {

struct RoiAlignArguments {
  Size2 output_size = 1;
  RoiAlignRules rules = {};
};
inline void report(ordo::detail::OpArguments& call, const RoiAlignArguments& a) {
  call.add(a.output_size);
  call.add(a.rules.scale);
  call.add(a.rules.sampling_ratio);
  call.add(a.rules.aligned);
}

/// Checks input [N, C, H, W] of `sizes`, boxes [K, 5] in `dtype` on `device`, and the output's size.
RoiShape roi_shape(const char* op, const Dims& sizes, DType dtype, Device device, const Tensor& boxes,
                   Size2 output_size);

Tensor roi_align(const Tensor& input, const Tensor& boxes, const RoiAlignArguments& arguments);
/// The gradient with respect to an input of `input_sizes`. A box of no image adds nothing.
Tensor roi_align_backward(const Tensor& grad, const Tensor& boxes, const Dims& input_sizes,
                          const RoiAlignArguments& arguments, Algorithm algorithm = Algorithm::automatic);

// Per device. Everything is contiguous. `counts` and `begin` are of the boxes' items; `begin` may be undefined, see
// RoiItemsElement. `rows` is [boxes, bins, channels]; `output` is [images, cells, channels], zeros that are added to.
ORDO_DEVICES(void, roi_align, const Tensor& input, const Tensor& boxes, const Tensor& output, const RoiShape& shape,
             const RoiAlignRules& rules)
ORDO_DEVICES(void, roi_align_counts, const Tensor& boxes, const Tensor& counts, const RoiShape& shape,
             const RoiAlignRules& rules)
ORDO_DEVICES(void, roi_align_backward, const Tensor& rows, const Tensor& boxes, const Tensor& begin, int64_t items,
             const Tensor& output, const RoiShape& shape, const RoiAlignRules& rules, Algorithm algorithm)

}  // namespace ordo::kernels
