#include <algorithm>
#include <vector>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/engine/check.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/nn/init.h>

namespace ordo::nn::init {
namespace {

/// The normal distribution function, to full precision where x is below 0.
double normal_cdf(double x) { return 0.5 * math::erfc(x * -0.70710678118654752); }

/// The x in [low, high] of which that function is p, by Newton's steps, or half the interval where one leads out of it.
double inverse_cdf(double p, double low, double high) {
  double x = 0.5 * (low + high);
  for (int i = 0; i < 100 && low < high; ++i) {
    const double error = normal_cdf(x) - p;
    if (error == 0) break;
    (error < 0 ? low : high) = x;
    const double slope = 0.39894228040143268 * math::exp(-0.5 * x * x);
    const double step = error / slope;
    if (step < 1e-12 && step > -1e-12) return std::clamp(x - step, low, high);  // the next would be 1e-24
    x = x - step > low && x - step < high ? x - step : 0.5 * (low + high);
  }
  return x;
}

}  // namespace

Tensor trunc_normal_(Tensor t, double mean, double std, double a, double b) {
  const char* const op = "trunc_normal_";
  detail::expect_defined(op, t, "tensor");
  detail::expect_floating(op, t);
  ORDO_CHECK(std > 0, ValueError, op, "needs std above 0, not {}", std);
  ORDO_CHECK(a < b, ValueError, op, "needs a below b, not {} and {}", a, b);
  NoGrad guard;
  // A uniform number between the distribution function's values at a and b, and where the function has that value. On
  // the upper half the function cannot tell numbers apart that it can on the lower, where an interval is mirrored to.
  constexpr double kFar = 38;  // the function is 0 below -38
  double low = std::clamp((a - mean) / std, -kFar, kFar), high = std::clamp((b - mean) / std, -kFar, kFar);
  const bool mirrored = low + high > 0;
  if (mirrored) {
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  const double from = normal_cdf(low), to = normal_cdf(high);
  const Tensor drawn = rand(t.sizes(), float64);
  double* const values = drawn.data<double>();
  parallel_for(0, drawn.numel(), 1024, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const double z = inverse_cdf(from + values[i] * (to - from), low, high);
      values[i] = std::clamp(mean + std * (mirrored ? -z : z), a, b);
    }
  });
  t.copy_(drawn);
  return t;
}

}  // namespace ordo::nn::init
