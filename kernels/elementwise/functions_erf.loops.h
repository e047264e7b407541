// Loops of functions.def: the error function and gelu, with gelu's gradients.
#pragma once

#define ORDO_GROUP_erf(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>
