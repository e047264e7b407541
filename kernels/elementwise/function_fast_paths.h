// The fast paths of functions.def. Internal.
#pragma once

#include <ordo/kernels/elementwise/fast_path.h>
#include <ordo/kernels/elementwise/function_functors.h>

namespace ordo::kernels {

// -- gelu: in the middle, the normal distribution function is a polynomial

template <>
struct FastPath<functors::gelu> : functors::gelu {
  template <class T>
  static bool is_fast(T x) {
    return math::detail::is_in_normal_centre(x);
  }
  static double fast(double x) { return x * math::detail::normal_centre(x); }
  static float fast(float x) { return float(double(x) * math::detail::normal_centre_float(x)); }
};

template <>
struct FastPath<functors::gelu_backward> : functors::gelu_backward {
  template <class T>
  static bool is_fast(T, T x) {
    return math::detail::is_in_normal_centre(x);
  }
  template <class T>
  static T fast(T grad, T x) {
    return GeluGradient::centre(grad, x);
  }
};

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

}  // namespace ordo::kernels
