// Loops of comparison.def: equality and logic.
#pragma once

#define ORDO_GROUP_equality(...) __VA_ARGS__
#include <ordo/kernels/elementwise/comparison_group.h>
