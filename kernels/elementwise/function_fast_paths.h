// Functions that most arguments reach by a shorter way, which CPU loops take for many at a time: fast(f, x...) has the
// bits of f(x...) where is_fast(f, x...), and may have any elsewhere. Not for operations in place. Internal.
#pragma once

#include <concepts>

#include <ordo/kernels/math/binary_function_functors.h>
#include <ordo/kernels/math/function_functors.h>

namespace ordo::kernels {

// -- powers of floats: without the special cases

template <std::same_as<float> T>
bool is_fast(Pow, T x, T y) {
  return math::is_ordinary_power(x, y);
}
template <std::same_as<float> T>
T fast(Pow, T x, T y) {
  return math::pow_ordinary(x, y);
}

namespace functors {

// -- angles: only huge ones need a branch

template <class F, class T>
bool is_fast(F, T x) {
  return math::is_moderate_angle(x);
}
template <class T>
T fast(sin, T x) {
  return math::sin_moderate(x);
}
template <class T>
T fast(cos, T x) {
  return math::cos_moderate(x);
}
template <class T>
T fast(tan, T x) {
  return math::tan_moderate(x);
}

// -- quotients of floats: only huge ones need a branch

template <class F, std::same_as<float> T>
bool is_fast(F, T a, T b) {
  return math::is_moderate_quotient(a, b);
}
template <std::same_as<float> T>
T fast(fmod, T a, T b) {
  return math::fmod_moderate(a, b);
}
template <std::same_as<float> T>
T fast(remainder, T a, T b) {
  return Remainder::of(math::fmod_moderate(a, b), b);
}
template <std::same_as<float> T>
T fast(floor_divide, T a, T b) {
  return FloorDivide::of(a, b, math::fmod_moderate(a, b));
}

}  // namespace functors
}  // namespace ordo::kernels
