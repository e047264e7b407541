// Loops of where.cpp.
#pragma once

#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/math/arithmetic_functors.h>

namespace ordo::kernels {
namespace functors {

/// From the nearer end, so that weights 0 and 1 give the ends.
struct Lerp {
  template <class T>
  ORDO_HD T operator()(T a, T b, T weight) const {
    const T size = weight < T(0) ? -weight : weight;
    return size < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
  }
};

ORDO_FUNCTOR_OF(AddProduct, (T a, T b, T c), Add()(a, Mul()(Mul()(value, b), c)), value)
ORDO_FUNCTOR_OF(AddQuotient, (T a, T b, T c), a + value * (b / c), value)

/// Both values are read and one is masked out: a branch on random conditions would be mispredicted half of the time.
struct Choice {
  template <class T>
  ORDO_HD T operator()(bool condition, T a, T b) const {
    const T mask = T(-T(condition));
    return T((a & mask) | (b & T(~mask)));
  }
};

}  // namespace functors

namespace ORDO_LOOPS_DEVICE {

void lerp(const LoopArgs<3>& args) {
  dispatch_floating("lerp", args.dtype, [&]<class T>() { short_loop<T, T, T, T>(args, functors::Lerp()); });
}
void addcmul(const LoopArgs<3>& args) {
  dispatch_numeric("addcmul", args.dtype, [&]<class T>() {
    short_loop<T, T, T, T>(args, functors::AddProduct<math_t<T>>{scalar_as<T>(args.numbers.p)});
  });
}
void addcdiv(const LoopArgs<3>& args) {
  dispatch_floating("addcdiv", args.dtype, [&]<class T>() {
    short_loop<T, T, T, T>(args, functors::AddQuotient<math_t<T>>{scalar_as<T>(args.numbers.p)});
  });
}

void where(const LoopArgs<3>& args) {
  dispatch_word(size_of(args.dtype), [&]<class T>() { short_loop<T, bool, T, T>(args, functors::Choice()); });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
