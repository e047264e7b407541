// Elementwise comparisons and logic; sizes broadcast, operands promote, the result is bool. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

Tensor eq(const Operand& a, const Operand& b);
Tensor ne(const Operand& a, const Operand& b);
Tensor lt(const Operand& a, const Operand& b);
Tensor le(const Operand& a, const Operand& b);
Tensor gt(const Operand& a, const Operand& b);
Tensor ge(const Operand& a, const Operand& b);

/// Elements count as true when they are not zero.
Tensor logical_and(const Operand& a, const Operand& b);
Tensor logical_or(const Operand& a, const Operand& b);

}  // namespace ordo::kernels
