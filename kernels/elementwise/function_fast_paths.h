// The fast paths of pow, functions.def and binary_functions.def. Internal.
#pragma once

#include <concepts>

#include <ordo/kernels/elementwise/fast_path.h>
#include <ordo/kernels/math/binary_function_functors.h>
#include <ordo/kernels/math/function_functors.h>
#include <ordo/kernels/math/pow_functor.h>

namespace ordo::kernels {

// -- angles: only huge ones need a branch

template <class F>
struct OfAngle : F {
  template <class T>
  static bool is_fast(T x) {
    return math::is_moderate_angle(x);
  }
};
template <>
struct FastPath<functors::sin> : OfAngle<functors::sin> {
  template <class T>
  static T fast(T x) {
    return math::sin_moderate(x);
  }
};
template <>
struct FastPath<functors::cos> : OfAngle<functors::cos> {
  template <class T>
  static T fast(T x) {
    return math::cos_moderate(x);
  }
};
template <>
struct FastPath<functors::tan> : OfAngle<functors::tan> {
  template <class T>
  static T fast(T x) {
    return math::tan_moderate(x);
  }
};

// -- powers of floats: without the special cases

template <>
struct FastPath<Pow> : Pow {
  template <std::same_as<float> T>
  static bool is_fast(T x, T y) {
    return math::is_ordinary_power(x, y);
  }
  template <std::same_as<float> T>
  static T fast(T x, T y) {
    return math::pow_ordinary(x, y);
  }
};

// -- quotients of floats: only huge ones need a branch

template <class F>
struct OfQuotient : F {
  template <std::same_as<float> T>
  static bool is_fast(T a, T b) {
    return math::is_moderate_quotient(a, b);
  }
};
template <>
struct FastPath<functors::fmod> : OfQuotient<functors::fmod> {
  template <std::same_as<float> T>
  static T fast(T a, T b) {
    return math::fmod_moderate(a, b);
  }
};
template <>
struct FastPath<functors::remainder> : OfQuotient<functors::remainder> {
  template <std::same_as<float> T>
  static T fast(T a, T b) {
    return Remainder::of(math::fmod_moderate(a, b), b);
  }
};
template <>
struct FastPath<functors::floor_divide> : OfQuotient<functors::floor_divide> {
  template <std::same_as<float> T>
  static T fast(T a, T b) {
    return FloorDivide::of(a, b, math::fmod_moderate(a, b));
  }
};

}  // namespace ordo::kernels
