// The loops of elementwise operations, which *.loops.h define for either device. Internal.
#pragma once

#include <ordo/kernels/elementwise/loop.h>

#define ORDO_LOOP(operands, name) ORDO_DEVICES(void, name, const LoopArgs<operands>&)

namespace ordo::kernels {

// -- arithmetic.cpp

ORDO_LOOP(2, add)
ORDO_LOOP(2, add_scaled)
ORDO_LOOP(2, sub)
ORDO_LOOP(2, mul)
ORDO_LOOP(2, div)
ORDO_LOOP(2, pow)
ORDO_LOOP(2, minimum)
ORDO_LOOP(2, maximum)

// -- functions.cpp

#define ORDO_FUNCTION(name, ...) ORDO_LOOP(1, name)
#define ORDO_FUNCTION_OF ORDO_FUNCTION
#define ORDO_FUNCTION_OF2 ORDO_FUNCTION
#define ORDO_PREDICATE ORDO_FUNCTION
#define ORDO_FUNCTION_LOOP ORDO_FUNCTION
#define ORDO_GRADIENT(name, ...) ORDO_LOOP(2, name)
#define ORDO_GRADIENT_OF2 ORDO_GRADIENT
#include <ordo/kernels/elementwise/functions.def>
ORDO_LOOP(1, clamp)
ORDO_LOOP(1, nan_to_num)

// -- binary_functions.cpp

#define ORDO_FUNCTION2(name, ...) ORDO_LOOP(2, name)
#define ORDO_FUNCTION2_LOOP ORDO_FUNCTION2
#include <ordo/kernels/elementwise/binary_functions.def>

// -- comparison.cpp

#define ORDO_COMPARISON(name, ...) ORDO_LOOP(2, name)
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

// -- where.cpp

ORDO_LOOP(3, lerp)
ORDO_LOOP(3, addcmul)
ORDO_LOOP(3, addcdiv)
/// Its operands are a bool and two of args.dtype, of which it moves the bits; so a number is.
ORDO_LOOP(3, where)

}  // namespace ordo::kernels

#undef ORDO_LOOP
