#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/function_loops.h>
#include <ordo/kernels/elementwise/loops_cuda.cuh>

namespace ordo::kernels::cuda {

ORDO_NUMERIC_LOOP(neg, Neg)
ORDO_NUMERIC_LOOP(abs, Abs)
ORDO_NUMERIC_LOOP(square, Square)
ORDO_NUMERIC_LOOP(sign, Sign)
ORDO_NUMERIC_LOOP(relu, Relu)
ORDO_FLOATING_LOOP(floor, Floor)
ORDO_FLOATING_LOOP(ceil, Ceil)
ORDO_FLOATING_LOOP(round, Round)
ORDO_FLOATING_LOOP(sqrt, Sqrt)
ORDO_FLOATING_LOOP(rsqrt, Rsqrt)
ORDO_FLOATING_LOOP(reciprocal, Reciprocal)

void clamp(const UnaryArgs& args) {
  dispatch_numeric("clamp", args.dtype, [&]<class T>() {
    unary_loop<T, T>(args, Clamp<math_t<T>>{scalar_as<T>(args.p), scalar_as<T>(args.q)});
  });
}

void isnan(const UnaryArgs& args) {
  dispatch_floating("isnan", args.dtype, [&]<class T>() { unary_loop<bool, T>(args, IsNan()); });
}
void isinf(const UnaryArgs& args) {
  dispatch_floating("isinf", args.dtype, [&]<class T>() { unary_loop<bool, T>(args, IsInf()); });
}
void isfinite(const UnaryArgs& args) {
  dispatch_floating("isfinite", args.dtype, [&]<class T>() { unary_loop<bool, T>(args, IsFinite()); });
}
void logical_not(const UnaryArgs& args) {
  dispatch_all("logical_not", args.dtype, [&]<class T>() { unary_loop<bool, T>(args, LogicalNot()); });
}

}  // namespace ordo::kernels::cuda
