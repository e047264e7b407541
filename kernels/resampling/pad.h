// Padding of a tensor's last dimensions on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/resampling.h>.
#pragma once

#include <vector>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/resampling/pad_axis.h>

namespace ordo::kernels {

Tensor pad(const Tensor& input, const std::vector<int64_t>& padding, PadMode mode, Scalar value);
/// The gradient with respect to an input of `input_sizes`; not of mode constant, whose gradient is a padding by the
/// negative numbers.
Tensor pad_backward(const Tensor& grad, const Dims& input_sizes, const std::vector<int64_t>& padding, PadMode mode);

// Per device. Everything is contiguous; results are overwritten. `fill` is one element.
ORDO_DEVICES(void, pad, const Tensor& input, const Tensor& output, const PadShape& shape, const Tensor& fill)
ORDO_DEVICES(void, pad_backward, const Tensor& grad, const Tensor& output, const PadShape& shape)

}  // namespace ordo::kernels
