// Loops of comparison.def: order.
#pragma once

#define ORDO_GROUP_order(...) __VA_ARGS__
#include <ordo/kernels/elementwise/comparison_group.h>
