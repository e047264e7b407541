// Functions of three operands: where, masked_fill, lerp, addcmul, addcdiv; autograd/ops/math/where.h has the rules.
// Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// condition ? a : b. `condition` is a bool tensor; all three broadcast, a and b promote.
Tensor where(const Tensor& condition, const Operand& a, const Operand& b);

/// t[i] = value where mask[i]. The bool mask broadcasts to t's sizes.
const Tensor& masked_fill_(const Tensor& t, const Tensor& mask, Scalar value);

/// a + weight (b - a)
Tensor lerp(const Tensor& a, const Tensor& b, const Operand& weight);
/// a + value b c
Tensor addcmul(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);
/// a + value b / c
Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);

}  // namespace ordo::kernels
