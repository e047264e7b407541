// Elementwise comparisons and logic of comparison.def; sizes broadcast, operands promote, the result is bool. Plain: no
// autograd.
#pragma once

#include <ordo/kernels/elementwise/operand.h>

namespace ordo::kernels {

#define ORDO_COMPARISON(name, ...) Tensor name(const Operand& a, const Operand& b);
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ordo::kernels
