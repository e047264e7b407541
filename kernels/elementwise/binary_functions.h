// Functions of two operands, of binary_functions.def; sizes broadcast, operands promote. Plain: no autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

#define ORDO_FUNCTION2(name, ...) Tensor name(const Operand& a, const Operand& b);
// Floating operands only.
#define ORDO_FUNCTION2_LOOP ORDO_FUNCTION2
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace ordo::kernels
