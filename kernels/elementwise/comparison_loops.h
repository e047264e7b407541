// The loops of comparison.def per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>

namespace ordo::kernels {

#define ORDO_COMPARISON(name, ...) ORDO_BINARY_LOOP(name)
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ordo::kernels
