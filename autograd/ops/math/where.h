// Choices between values by a mask, and functions of three operands.
#pragma once

#include <ordo/engine/tensor/tensor.h>

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

// Functions of three operands, element by element. Sizes broadcast and dtypes promote as in arithmetic.h; the same bits
// on every device. Errors: ValueError for an undefined tensor, ShapeError, DeviceError, DTypeError.

/// input + weight (end - input); where |weight| is 1/2 or more, end - (end - input) (1 - weight). Floating dtypes.
/// As torch.lerp.
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);
Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight);

/// input + value tensor1 tensor2. Any dtype but bool; a floating `value` takes floating tensors. As torch.addcmul.
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
/// input + value (tensor1 / tensor2). Floating dtypes. As torch.addcdiv.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);

}  // namespace ordo
