// Which functions of functions.def have a part that takes much less than the whole, and what it is. Internal.
#pragma once

#include <ordo/kernels/elementwise/function_functors.h>
#include <ordo/kernels/elementwise/sided.h>

namespace ordo::kernels {

// -- a polynomial in the middle

template <>
struct Sided<functors::erf> : functors::erf {
  template <class T>
  ORDO_HD bool is_near(T x) const {
    return math::detail::is_in_erf_centre(x);
  }
  ORDO_HD double near(double x) const { return math::detail::erf_centre(x); }
  ORDO_HD float near(float x) const { return float(math::detail::erf_centre_float(x)); }
};

template <>
struct Sided<functors::erfc> : functors::erfc {
  ORDO_HD bool is_near(double x) const { return math::detail::magnitude(x) < 0.5; }
  ORDO_HD bool is_near(float x) const { return math::detail::is_in_erf_centre(x); }
  ORDO_HD double near(double x) const { return 1.0 - math::detail::erf_centre(x); }
  ORDO_HD float near(float x) const { return float(1.0 - math::detail::erf_centre_float(x)); }
};

template <>
struct Sided<functors::gelu> : functors::gelu {
  template <class T>
  ORDO_HD bool is_near(T x) const {
    return math::detail::is_in_normal_centre(x);
  }
  ORDO_HD double near(double x) const { return x * math::detail::normal_centre(x); }
  ORDO_HD float near(float x) const { return float(double(x) * math::detail::normal_centre_float(x)); }
};

template <>
struct Sided<functors::gelu_backward> : functors::gelu_backward {
  template <class T>
  ORDO_HD bool is_near(T, T x) const {
    return math::detail::is_in_normal_centre(x);
  }
  ORDO_HD double near(double grad, double x) const { return GeluGradient::near(grad, x); }
  ORDO_HD float near(float grad, float x) const { return GeluGradient::near(grad, x); }
};

// -- no exponential above 0

template <class T>
struct Sided<functors::elu<T>> : functors::elu<T> {
  ORDO_HD bool is_near(T x) const { return x > T(0); }
  ORDO_HD T near(T x) const { return x; }
};

template <class T>
struct Sided<functors::celu<T>> : functors::celu<T> {
  ORDO_HD bool is_near(T x) const { return x > T(0); }
  ORDO_HD T near(T x) const { return x; }
};

template <>
struct Sided<functors::selu> : functors::selu {
  template <class T>
  ORDO_HD bool is_near(T x) const {
    return x > T(0);
  }
  template <class T>
  ORDO_HD T near(T x) const {
    return T(kSeluScale) * x;
  }
};

template <class T>
struct Sided<functors::elu_backward<T>> : functors::elu_backward<T> {
  ORDO_HD bool is_near(T, T x) const { return x > T(0); }
  ORDO_HD T near(T grad, T) const { return grad; }
};

template <>
struct Sided<functors::selu_backward> : functors::selu_backward {
  template <class T>
  ORDO_HD bool is_near(T, T x) const {
    return x > T(0);
  }
  template <class T>
  ORDO_HD T near(T grad, T) const {
    return grad * T(kSeluScale);
  }
};

}  // namespace ordo::kernels
