// Choice between two operands, element by element. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

/// condition ? a : b. `condition` is a bool tensor; all three broadcast, a and b promote.
Tensor where(const Tensor& condition, const Operand& a, const Operand& b);

/// t[i] = value where mask[i]. The bool mask broadcasts to t's sizes.
const Tensor& masked_fill_(const Tensor& t, const Tensor& mask, Scalar value);

}  // namespace ordo::kernels
