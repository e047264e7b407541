// Choices between values by a mask, and functions of three operands. Sizes broadcast and dtypes promote as in
// arithmetic.h. A gradient that broadcasting repeated is added up by ordering rule 2 (docs/ordering.md). ValueError for
// an undefined tensor.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// condition ? a : b, elementwise.
///
/// Shapes: any three that broadcast.
/// Dtypes: the condition is bool; a and b of any dtype promote.
/// Throws: DTypeError when the condition is not bool; ShapeError when sizes do not broadcast; DeviceError when the
/// tensors are on different devices; ValueError when a number does not fit the dtype.
/// Determinism: the same bits on every device at every level.
/// Gradient: grad to the one that was taken, 0 to the other.
/// PyTorch: torch.where.
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
Tensor where(const Tensor& condition, Scalar a, const Tensor& b);

/// A copy of input with `value` where the mask is true.
///
/// Shapes: the mask broadcasts to t's sizes.
/// Dtypes: any input, kept; the mask is bool.
/// Throws: DTypeError when the mask is not bool, or `value` is of a higher kind than input; ShapeError when the mask
/// does not broadcast to input; DeviceError as where; ValueError when `value` does not fit input's dtype.
/// Determinism: as where.
/// Gradient: grad where the mask is false, else 0.
/// PyTorch: Tensor.masked_fill.
Tensor masked_fill(const Tensor& input, const Tensor& mask, Scalar value);

/// input + weight (end - input); where |weight| is 1/2 or more, end - (end - input) (1 - weight).
///
/// Shapes: any that broadcast.
/// Dtypes: floating after promotion.
/// Throws: DTypeError when the result is not floating; ShapeError, DeviceError as where.
/// Determinism: as where.
/// Gradient: of input, grad (1 - weight); of end, grad weight; of weight, grad (end - input).
/// PyTorch: torch.lerp.
Tensor lerp(const Tensor& input, const Tensor& end, const Tensor& weight);
Tensor lerp(const Tensor& input, const Tensor& end, Scalar weight);

/// input + value tensor1 tensor2, elementwise.
///
/// Shapes: any that broadcast.
/// Dtypes: any but bool; they promote.
/// Throws: DTypeError when the result is bool, or of integers and `value` is floating; ShapeError, DeviceError as
/// where; ValueError when `value` does not fit an integer dtype.
/// Determinism: as where.
/// Gradient: of input, grad; of tensor1, grad value tensor2; of tensor2, grad value tensor1.
/// PyTorch: torch.addcmul.
Tensor addcmul(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
/// input + value (tensor1 / tensor2), elementwise.
///
/// Shapes, Dtypes, Throws, Determinism: as lerp.
/// Gradient: of input, grad; of tensor1, grad value / tensor2; of tensor2, -grad value tensor1 / tensor2^2.
/// PyTorch: torch.addcdiv.
Tensor addcdiv(const Tensor& input, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);

}  // namespace ordo
