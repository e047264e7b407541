// Defines the loops of those rows of functions.def whose group the including file names, on the device that it is
// compiled for:
//   #define ORDO_GROUP_exp(...) __VA_ARGS__
//   #include <ordo/kernels/elementwise/function_group.h>
// Internal: for functions_*.loops.h.
#pragma once

#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/function_sides.h>

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
#ifndef ORDO_GROUP_trig
#define ORDO_GROUP_trig(...)
#endif
#ifndef ORDO_GROUP_gradients
#define ORDO_GROUP_gradients(...)
#endif

namespace ordo::kernels::ORDO_LOOPS_DEVICE {

// void name(args): the functor of that name, from dtypes T to dtypes R.
#define ORDO_DEFINE_LOOP(name, dispatch, R)                                                    \
  void name(const UnaryArgs& args) {                                                           \
    dispatch(#name, args.dtype, [&]<class T>() { unary_loop<R, T>(args, functors::name()); }); \
  }
#define ORDO_LOOP_numeric(name) ORDO_DEFINE_LOOP(name, dispatch_numeric, T)
#define ORDO_LOOP_rounding(name) ORDO_DEFINE_LOOP(name, dispatch_floating, T)
#define ORDO_LOOP_floating(name) ORDO_DEFINE_LOOP(name, dispatch_floating, T)
#define ORDO_LOOP_angle(name)                                                                                         \
  void name(const UnaryArgs& args) {                                                                                  \
    dispatch_floating(#name, args.dtype, [&]<class T>() {                                                             \
      unary_loop_in_stretches<T>(args, functors::name(), functors::is_moderate_angle(), functors::name##_moderate()); \
    });                                                                                                               \
  }
#define ORDO_LOOP_any(name) ORDO_DEFINE_LOOP(name, dispatch_all, bool)
#define ORDO_LOOP_false_of_integers(name) ORDO_DEFINE_LOOP(name, dispatch_floating, bool)
#define ORDO_LOOP_true_of_integers(name) ORDO_DEFINE_LOOP(name, dispatch_floating, bool)

#define ORDO_FUNCTION(name, kind, group, ...) ORDO_GROUP_##group(ORDO_LOOP_##kind(name))
#define ORDO_LOOP_OF(name, ...)                                                                            \
  void name(const UnaryArgs& args) {                                                                       \
    dispatch_floating(#name, args.dtype,                                                                   \
                      [&]<class T>() { unary_loop<T, T>(args, functors::name<math_t<T>>{__VA_ARGS__}); }); \
  }
#define ORDO_FUNCTION_OF(name, number, standard, group, ...) \
  ORDO_GROUP_##group(ORDO_LOOP_OF(name, scalar_as<T>(args.p)))
#define ORDO_FUNCTION_OF2(name, number, standard, number2, standard2, group, ...) \
  ORDO_GROUP_##group(ORDO_LOOP_OF(name, scalar_as<T>(args.p), scalar_as<T>(args.q)))
#define ORDO_PREDICATE ORDO_FUNCTION
#define ORDO_FUNCTION_LOOP(name, group, formula) ORDO_GROUP_##group(ORDO_LOOP_floating(name))
#define ORDO_GRADIENT(name, function, group, formula)                                                    \
  ORDO_GROUP_##group(void name(const BinaryArgs& args) {                                                 \
    dispatch_floating(#name, args.dtype, [&]<class T>() { binary_loop<T, T>(args, functors::name()); }); \
  })
// One loop for float and the half types: it takes longer to compute these than to gather their operands.
#define ORDO_GRADIENT_OF2(name, function, p, q, group, formula)                                                \
  ORDO_GROUP_##group(void name(const BinaryArgs& args) {                                                       \
    dispatch_floating(#name, args.dtype, [&]<class T>() {                                                      \
      using V = math_t<T>;                                                                                     \
      gathering_binary_loop<T, T>(args, functors::name<V>{scalar_as<T>(args.alpha), scalar_as<T>(args.beta)}); \
    });                                                                                                        \
  })
#include <ordo/kernels/elementwise/functions.def>

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
