// Defines the loops of those rows of functions.def whose group the including file names, on the device that it is
// compiled for:
//   #define ORDO_GROUP_exp(...) __VA_ARGS__
//   #include <ordo/kernels/elementwise/function_group.h>
// Internal: for functions_*.loops.h.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/elementwise/function_fast_paths.h>
#include <ordo/kernels/math/function_functors.h>

// The other groups' rows become nothing.
#ifndef ORDO_GROUP_simple
#define ORDO_GROUP_simple(...)
#endif
#ifndef ORDO_GROUP_exp
#define ORDO_GROUP_exp(...)
#endif
#ifndef ORDO_GROUP_erf
#define ORDO_GROUP_erf(...)
#endif
#ifndef ORDO_GROUP_gamma
#define ORDO_GROUP_gamma(...)
#endif
#ifndef ORDO_GROUP_trig
#define ORDO_GROUP_trig(...)
#endif
#ifndef ORDO_GROUP_gradients
#define ORDO_GROUP_gradients(...)
#endif
#ifndef ORDO_GROUP_LOOP
#define ORDO_GROUP_LOOP loop
#endif

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

// void name(args): the functor of that name, from dtypes T to dtypes R.
#define ORDO_DEFINE_LOOP(name, dispatch, R)                                                         \
  void name(const LoopArgs<1>& args) {                                                              \
    dispatch(#name, args.dtype, [&]<class T>() { ORDO_GROUP_LOOP<R, T>(args, functors::name()); }); \
  }
#define ORDO_LOOP_numeric(name) ORDO_DEFINE_LOOP(name, dispatch_numeric, T)
#define ORDO_LOOP_rounding(name) ORDO_DEFINE_LOOP(name, dispatch_floating, T)
#define ORDO_LOOP_floating(name) ORDO_DEFINE_LOOP(name, dispatch_floating, T)
#define ORDO_LOOP_any(name) ORDO_DEFINE_LOOP(name, dispatch_all, bool)
#define ORDO_LOOP_false_of_integers(name) ORDO_DEFINE_LOOP(name, dispatch_floating, bool)
#define ORDO_LOOP_true_of_integers(name) ORDO_DEFINE_LOOP(name, dispatch_floating, bool)

#define ORDO_FUNCTION(name, kind, group, ...) ORDO_GROUP_##group(ORDO_LOOP_##kind(name))
#define ORDO_LOOP_OF(name, ...)                                                                                 \
  void name(const LoopArgs<1>& args) {                                                                          \
    dispatch_floating(#name, args.dtype,                                                                        \
                      [&]<class T>() { ORDO_GROUP_LOOP<T, T>(args, functors::name<math_t<T>>{__VA_ARGS__}); }); \
  }
#define ORDO_FUNCTION_OF(name, number, standard, group, ...) \
  ORDO_GROUP_##group(ORDO_LOOP_OF(name, scalar_as<T>(args.numbers.p)))
#define ORDO_FUNCTION_OF2(name, number, standard, number2, standard2, group, ...) \
  ORDO_GROUP_##group(ORDO_LOOP_OF(name, scalar_as<T>(args.numbers.p), scalar_as<T>(args.numbers.q)))
#define ORDO_PREDICATE ORDO_FUNCTION
#define ORDO_FUNCTION_LOOP(name, group, formula) ORDO_GROUP_##group(ORDO_LOOP_floating(name))
#define ORDO_GRADIENT(name, function, group, formula)                                                           \
  ORDO_GROUP_##group(void name(const LoopArgs<2>& args) {                                                       \
    dispatch_floating(#name, args.dtype, [&]<class T>() { ORDO_GROUP_LOOP<T, T, T>(args, functors::name()); }); \
  })
#define ORDO_GRADIENT_OF2(name, function, number, number2, group, formula)                                             \
  ORDO_GROUP_##group(void name(const LoopArgs<2>& args) {                                                              \
    dispatch_floating(#name, args.dtype, [&]<class T>() {                                                              \
      ORDO_GROUP_LOOP<T, T, T>(args,                                                                                   \
                               functors::name<math_t<T>>{scalar_as<T>(args.numbers.p), scalar_as<T>(args.numbers.q)}); \
    });                                                                                                                \
  })
#include <ordo/kernels/elementwise/functions.def>

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
