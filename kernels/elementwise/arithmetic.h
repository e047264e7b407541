// Elementwise arithmetic of two operands, each a tensor or a number; sizes broadcast, dtypes promote. Plain: no
// autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

inline Scalar negated(const Scalar& s) { return s.is_floating() ? Scalar(-s.to_double()) : Scalar(-s.to_int64()); }

/// a + alpha b. bool: or (alpha must be 1). Integers wrap.
Tensor add(const Operand& a, const Operand& b, Scalar alpha = 1);
/// a - alpha b. Not for bool.
Tensor sub(const Operand& a, const Operand& b, Scalar alpha = 1);
/// a b. bool: and.
Tensor mul(const Operand& a, const Operand& b);
/// a / b; two integers (or bools) give float32.
Tensor div(const Operand& a, const Operand& b);
/// a to the power of b. Integers wrap; a negative integer power of an integer is 0 unless the base is 1 or -1, and
/// ValueError when b is a number. Not for bool.
Tensor pow(const Operand& a, const Operand& b);
/// The smaller / larger one; NaN if either is NaN.
Tensor minimum(const Operand& a, const Operand& b);
Tensor maximum(const Operand& a, const Operand& b);

/// a becomes a + alpha b, and so on. The result must broadcast to a's sizes and fit its dtype (DTypeError).
const Tensor& add_(const Tensor& a, const Operand& b, Scalar alpha = 1);
const Tensor& sub_(const Tensor& a, const Operand& b, Scalar alpha = 1);
const Tensor& mul_(const Tensor& a, const Operand& b);
const Tensor& div_(const Tensor& a, const Operand& b);

}  // namespace ordo::kernels
