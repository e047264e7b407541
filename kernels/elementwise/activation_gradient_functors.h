// Scalar formulas of activation_gradients.h, shared by CPU and CUDA. Internal.
#pragma once

#include <ordo/kernels/elementwise/math.h>

namespace ordo::kernels {

struct ReluGradient {
  template <class T>
  ORDO_HD T operator()(T grad, T y) const {
    return y <= T(0) ? T(0) : grad;  // NaN passes it on, as in PyTorch
  }
};

struct TanhGradient {
  template <class T>
  ORDO_HD T operator()(T grad, T y) const {
    return grad * (T(1) - y * y);
  }
};

struct SigmoidGradient {
  template <class T>
  ORDO_HD T operator()(T grad, T y) const {
    return grad * (y * (T(1) - y));
  }
};

struct GeluGradient {
  static constexpr double kDensity = 0x1.9884533d43651p-2;  // 1 / sqrt(2 pi)
  ORDO_HD double operator()(double grad, double x) const {
    return grad * (ordo::math::detail::normal_cdf(x) + x * (kDensity * ordo::math::exp(-0.5 * x * x)));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const double w = x, safe = clamped(w, -26.0, 26.0);  // beyond, the density is no float
    return float(grad * (normal_cdf_float(w) + w * (kDensity * exp_near(-0.5 * safe * safe))));
  }
};

/// With s = sigmoid(u), u = 2 sqrt(2/pi) (x + 0.044715 x^3): s + x s (1 - s) u'.
struct GeluTanhGradient {
  static constexpr double kSlope = 2.0 * 0x1.9884533d43651p-1;
  ORDO_HD double operator()(double grad, double x) const {
    const double square = x * x, s = ordo::math::sigmoid(kSlope * (x + 0.044715 * x * square));
    return grad * (s + x * (s * (1.0 - s)) * (kSlope * (1.0 + 3.0 * 0.044715 * square)));
  }
  ORDO_HD float operator()(float grad, float x) const {
    using namespace ordo::math::detail;
    const double w = clamped(x, -30.0, 30.0), square = w * w;  // beyond, the derivative is 0 or 1
    const double s = 1.0 / (1.0 + exp_near(-clamped(kSlope * (w + 0.044715 * w * square), -600.0, 600.0)));
    return float(grad * (s + w * (s * (1.0 - s)) * (kSlope * (1.0 + 3.0 * 0.044715 * square))));
  }
};

}  // namespace ordo::kernels
