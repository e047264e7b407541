// Functions of three operands: lerp, addcmul, addcdiv; autograd/ops/math/where.h has the rules. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// a + weight (b - a)
Tensor lerp(const Tensor& a, const Tensor& b, const Operand& weight);
/// a + value b c
Tensor addcmul(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);
/// a + value b / c
Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value);

}  // namespace ordo::kernels
