// The loops of arithmetic.cpp per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels {

ORDO_BINARY_LOOP(add)
ORDO_BINARY_LOOP(add_scaled)
ORDO_BINARY_LOOP(sub)
ORDO_BINARY_LOOP(mul)
ORDO_BINARY_LOOP(div)
ORDO_BINARY_LOOP(pow)
ORDO_BINARY_LOOP(minimum)
ORDO_BINARY_LOOP(maximum)

}  // namespace ordo::kernels
