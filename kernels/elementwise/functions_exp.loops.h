// Loops of functions.def: exponentials and logarithms.
#pragma once

#define ORDO_GROUP_exp(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>
