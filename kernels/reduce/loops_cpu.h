// The CPU's loops over elements, reductions and row programs, for *.loops.h of the families that have none of their
// own. Internal.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce_short_cpu.h>
#include <ordo/kernels/reduce/row_program_cpu.h>

#define ORDO_LOOPS_DEVICE cpu
