// Loops of functions.def: the logarithm of the gamma function and its derivatives.
#pragma once

#define ORDO_GROUP_gamma(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>
