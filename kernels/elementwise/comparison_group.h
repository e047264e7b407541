// Defines the loops of those rows of comparison.def whose group the including file names, as function_group.h does.
// Internal: for comparison_*.loops.h.
#pragma once

#include <ordo/kernels/elementwise/comparison_functors.h>
#include <ordo/kernels/elementwise/device_loops.h>

// The other group's rows become nothing.
#ifndef ORDO_GROUP_equality
#define ORDO_GROUP_equality(...)
#endif
#ifndef ORDO_GROUP_order
#define ORDO_GROUP_order(...)
#endif

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

#define ORDO_COMPARISON(name, group, ...)                                                          \
  ORDO_GROUP_##group(void name(const LoopArgs<2>& args) {                                          \
    dispatch_all(#name, args.dtype, [&]<class T>() { loop<bool, T, T>(args, functors::name()); }); \
  })
#define ORDO_LOGICAL(name, group, ...) \
  ORDO_GROUP_##group(void name(const LoopArgs<2>& args) { loop<bool, bool, bool>(args, functors::name()); })
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
