// The fast paths of functions.def and binary_functions.def. Internal.
#pragma once

#include <concepts>

#include <ordo/kernels/elementwise/fast_path.h>
#include <ordo/kernels/math/binary_function_functors.h>
#include <ordo/kernels/math/function_functors.h>

namespace ordo::kernels {

// -- the error function and the normal distribution function: in the middle, a polynomial

template <>
struct FastPath<functors::erf> : functors::erf {
  template <std::same_as<double> T>
  static bool is_fast(T x) {
    return math::detail::is_in_erf_centre(x);
  }
  template <std::same_as<double> T>
  static T fast(T x) {
    return math::detail::erf_centre(x);
  }
};
template <>
struct FastPath<functors::erfc> : functors::erfc {
  template <std::same_as<double> T>
  static bool is_fast(T x) {
    return math::detail::magnitude(x) < 0.5;
  }
  template <std::same_as<double> T>
  static T fast(T x) {
    return 1.0 - math::detail::erf_centre(x);
  }
};
template <>
struct FastPath<functors::gelu> : functors::gelu {
  template <std::same_as<double> T>
  static bool is_fast(T x) {
    return math::detail::is_in_normal_centre(x);
  }
  template <std::same_as<double> T>
  static T fast(T x) {
    return x * math::detail::normal_centre(x);
  }
};
template <>
struct FastPath<functors::gelu_backward> : functors::gelu_backward {
  template <std::same_as<double> T>
  static bool is_fast(T, T x) {
    return math::detail::is_in_normal_centre(x);
  }
  template <std::same_as<double> T>
  static T fast(T grad, T x) {
    return GeluGradient::centre(grad, x);
  }
};

// -- above 0: no exponential

template <class F>
struct OfPositive : F {
  template <class T>
  static bool is_fast(T x) {
    return x > T(0);
  }
  template <class T>
  static bool is_fast([[maybe_unused]] T grad, T x) {
    return x > T(0);
  }
};
template <class T>
struct FastPath<functors::elu<T>> : OfPositive<functors::elu<T>> {
  static T fast(T x) { return x; }
};
template <class T>
struct FastPath<functors::celu<T>> : OfPositive<functors::celu<T>> {
  static T fast(T x) { return x; }
};
template <>
struct FastPath<functors::selu> : OfPositive<functors::selu> {
  template <class T>
  static T fast(T x) {
    return T(kSeluScale) * x;
  }
};
template <class T>
struct FastPath<functors::elu_backward<T>> : OfPositive<functors::elu_backward<T>> {
  static T fast(T grad, T) { return grad; }
};
template <>
struct FastPath<functors::selu_backward> : OfPositive<functors::selu_backward> {
  template <class T>
  static T fast(T grad, T) {
    return grad * T(kSeluScale);
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
