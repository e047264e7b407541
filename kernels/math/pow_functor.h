// x to the power of y, for floating types and integers. Internal.
#pragma once

#include <ordo/kernels/math/arithmetic_functors.h>
#include <ordo/kernels/math/math.h>

namespace ordo::kernels {

struct Pow {
  template <class T>
  ORDO_HD T operator()(T x, T y) const {
    if constexpr (std::is_floating_point_v<T>) {
      return ordo::math::pow(x, y);
    } else {
      // 1 / x^-y as an integer: 0 unless x is 1 or -1.
      if (std::is_signed_v<T> && y < T(0)) return x == T(1) ? T(1) : x == T(-1) ? (y & T(1) ? T(-1) : T(1)) : T(0);
      wrapping_t<T> result = 1, square = wrapping_t<T>(x);
      for (uint64_t rest = uint64_t(y); rest != 0; rest >>= 1) {
        if (rest & 1u) result *= square;
        square *= square;
      }
      return T(result);
    }
  }
};

}  // namespace ordo::kernels
