// The conversions of engine/tensor/convert.h, and a Scalar's.
#pragma once

#include <ordo/engine/tensor/convert.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

using ordo::convert;
using ordo::math_t;

/// A Scalar as the type that arithmetic on T happens in. Integers other than int64 wrap: detail::expect_fits comes
/// first.
template <class T>
math_t<T> scalar_as(const Scalar& s) {
  if constexpr (std::is_same_v<T, bool>)
    return s.is_floating() ? s.to_double() != 0 : s.to_int64() != 0;
  else if constexpr (std::is_integral_v<T>)
    return convert<T>(s.to_int64());
  else
    return s.is_floating() ? math_t<T>(s.to_double()) : math_t<T>(s.to_int64());
}

/// Calls f.operator()<T>(), T being the type of t: for kernels, which do not throw.
template <class F>
ORDO_HD decltype(auto) with_type(DType t, const F& f) {
  switch (t) {
    case DType::boolean:
      return f.template operator()<bool>();
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    case DType::float16:
      return f.template operator()<Half>();
    case DType::bfloat16:
      return f.template operator()<BFloat16>();
    case DType::float32:
      return f.template operator()<float>();
    default:
      return f.template operator()<double>();
  }
}

}  // namespace ordo::kernels
