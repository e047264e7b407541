// Choice between values by a mask.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// condition ? a : b, elementwise. `condition` is bool; all broadcast to one shape, a and b promote to one dtype.
/// Differentiable with respect to a and b; the same bits on every device.
/// Errors: DTypeError unless the condition is bool, ShapeError, DeviceError, ValueError when a number does not fit.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
Tensor where(const Tensor& condition, Scalar a, const Tensor& b);

/// A copy of t with `value` where the bool mask is true. The mask broadcasts to t's sizes; `value` must fit t's dtype
/// (DTypeError for a floating value and an integer tensor, ValueError for a number that the dtype does not hold).
Tensor masked_fill(const Tensor& t, const Tensor& mask, Scalar value);

}  // namespace ordo
