// Maxima of bins of boxes on images, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/roi/roi_boxes.h>

namespace ordo::kernels {

/// Maxima, and their flat places in the input, int64; -1 where there is none.
struct RoiPoolResult {
  Tensor values, places;
};

RoiPoolResult roi_pool(const Tensor& input, const Tensor& boxes, Size2 output_size, double spatial_scale);
/// The gradient with respect to an input of `input_sizes`.
Tensor roi_pool_backward(const Tensor& grad, const Tensor& places, const Dims& input_sizes,
                         Algorithm algorithm = Algorithm::automatic);

// Per device. Everything is contiguous.
ORDO_DEVICES(void, roi_pool, const Tensor& input, const Tensor& boxes, const RoiPoolResult& result,
             const RoiShape& shape, double scale)

}  // namespace ordo::kernels
