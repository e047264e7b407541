// The loops of functions.cpp per device. Internal.
#pragma once

#include <ordo/kernels/elementwise/unary.h>

#define ORDO_FUNCTION_LOOPS(X) \
  X(neg)                       \
  X(abs)                       \
  X(square)                    \
  X(sign)                      \
  X(relu)                      \
  X(floor)                     \
  X(ceil)                      \
  X(round)                     \
  X(clamp)                     \
  X(exp)                       \
  X(expm1)                     \
  X(log)                       \
  X(log1p)                     \
  X(sqrt)                      \
  X(rsqrt)                     \
  X(reciprocal)                \
  X(sin)                       \
  X(cos)                       \
  X(tanh)                      \
  X(sigmoid)                   \
  X(erf)                       \
  X(gelu)                      \
  X(gelu_tanh)                 \
  X(isnan)                     \
  X(isinf)                     \
  X(isfinite)                  \
  X(logical_not)

#define ORDO_DECLARE_FUNCTION_LOOP(name) void name(const UnaryArgs&);
namespace ordo::kernels::cpu {
ORDO_FUNCTION_LOOPS(ORDO_DECLARE_FUNCTION_LOOP)
}
namespace ordo::kernels::cuda {
ORDO_FUNCTION_LOOPS(ORDO_DECLARE_FUNCTION_LOOP)
}
#undef ORDO_DECLARE_FUNCTION_LOOP

// void name(args): the functor over all floating dtypes.
#define ORDO_FLOATING_LOOP(name, Functor)                                                        \
  void name(const UnaryArgs& args) {                                                             \
    dispatch_floating(#name, args.dtype, [&]<class T>() { unary_loop<T, T>(args, Functor()); }); \
  }
// The same over all dtypes but bool.
#define ORDO_NUMERIC_LOOP(name, Functor)                                                        \
  void name(const UnaryArgs& args) {                                                            \
    dispatch_numeric(#name, args.dtype, [&]<class T>() { unary_loop<T, T>(args, Functor()); }); \
  }
