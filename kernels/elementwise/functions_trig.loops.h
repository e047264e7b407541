// Loops of functions.def: functions of angles.
#pragma once

#define ORDO_GROUP_trig(...) __VA_ARGS__
#include <ordo/kernels/elementwise/function_group.h>
