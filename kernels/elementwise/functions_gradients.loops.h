// Loops of functions.def: gradients in one pass.
#pragma once

#define ORDO_GROUP_gradients(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>
