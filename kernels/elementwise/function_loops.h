// The loops of functions.def, clamp and nan_to_num per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/unary.h>

namespace ordo::kernels {

#define ORDO_FUNCTION(name, ...) ORDO_UNARY_LOOP(name)
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#define ORDO_PREDICATE ORDO_FUNCTION
#define ORDO_FUNCTION_LOOP ORDO_FUNCTION
#define ORDO_GRADIENT(name, ...) ORDO_BINARY_LOOP(name)
#define ORDO_GRADIENT_OF2 ORDO_GRADIENT
#include <ordo/kernels/elementwise/functions.def>
ORDO_UNARY_LOOP(clamp)
ORDO_UNARY_LOOP(nan_to_num)

}  // namespace ordo::kernels
