// The loops of binary_functions.def per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels {

#define ORDO_FUNCTION2(name, ...) ORDO_BINARY_LOOP(name)
#define ORDO_FUNCTION2_LOOP ORDO_FUNCTION2
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace ordo::kernels
