// Loops of comparison.def, by the names of its rows.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/math/arithmetic_functors.h>

namespace ordo::kernels {
namespace functors {

#define ORDO_COMPARISON(name, formula, reference) ORDO_FUNCTOR(name, bool, (T a, T b), formula)
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace functors

namespace ORDO_LOOPS_DEVICE {

#define ORDO_COMPARISON(name, ...)                                                                       \
  void name(const LoopArgs<2>& args) {                                                                   \
    dispatch_all(#name, args.dtype, [&]<class T>() { short_loop<bool, T, T>(args, functors::name()); }); \
  }
#define ORDO_LOGICAL(name, ...) \
  void name(const LoopArgs<2>& args) { short_loop<bool, bool, bool>(args, functors::name()); }
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
