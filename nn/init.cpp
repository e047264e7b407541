#include <ordo/nn/init.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/engine/check.h>
#include <ordo/engine/enumerator.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::nn::init {

Fans fans(const Tensor& weight) {
  detail::expect_defined("init", weight, "weight");
  ORDO_CHECK(weight.dim() >= 2, ShapeError, "init", "fan in and fan out need at least two dimensions, not {}",
             weight.sizes());
  int64_t receptive = 1;
  for (int d = 2; d < weight.dim(); ++d) receptive *= weight.sizes()[d];
  return {weight.sizes()[1] * receptive, weight.sizes()[0] * receptive};
}

double gain(Nonlinearity nonlinearity, double negative_slope) {
  detail::expect_enumerator("init", nonlinearity, Nonlinearity::selu,
                            "a nonlinearity: there are linear, sigmoid, tanh, relu, leaky_relu and selu");
  switch (nonlinearity) {
    case Nonlinearity::tanh:
      return 5.0 / 3.0;
    case Nonlinearity::relu:
      return std::sqrt(2.0);
    case Nonlinearity::leaky_relu:
      return std::sqrt(2.0 / (1.0 + negative_slope * negative_slope));
    case Nonlinearity::selu:
      return 3.0 / 4.0;
    default:
      return 1.0;
  }
}

namespace {
double kaiming_std(const Tensor& t, const KaimingOptions& options) {
  detail::expect_enumerator("init", options.fan, Fan::fan_out, "a fan: there are fan_in and fan_out");
  const Fans f = fans(t);
  const int64_t fan = options.fan == Fan::fan_in ? f.in : f.out;
  return gain(options.nonlinearity, options.negative_slope) / std::sqrt(double(fan));
}

double xavier_std(const Tensor& t, double gain) {
  const Fans f = fans(t);
  return gain * std::sqrt(2.0 / double(f.in + f.out));
}
}  // namespace

Tensor kaiming_uniform_(Tensor t, KaimingOptions options) {
  if (t.numel() == 0) return t;
  const double bound = std::sqrt(3.0) * kaiming_std(t, options);
  return init::uniform_(t, -bound, bound);
}

Tensor kaiming_normal_(Tensor t, KaimingOptions options) {
  if (t.numel() == 0) return t;
  return init::normal_(t, 0, kaiming_std(t, options));
}

Tensor xavier_uniform_(Tensor t, double gain) {
  if (t.numel() == 0) return t;
  const double bound = std::sqrt(3.0) * xavier_std(t, gain);
  return init::uniform_(t, -bound, bound);
}

Tensor xavier_normal_(Tensor t, double gain) {
  if (t.numel() == 0) return t;
  return init::normal_(t, 0, xavier_std(t, gain));
}

Tensor uniform_(Tensor t, double low, double high) {
  NoGrad guard;
  ordo::uniform_(t, low, high);
  return t;
}

Tensor normal_(Tensor t, double mean, double std) {
  NoGrad guard;
  ordo::normal_(t, mean, std);
  return t;
}

Tensor constant_(Tensor t, Scalar value) {
  NoGrad guard;
  t.fill_(value);
  return t;
}

Tensor zeros_(Tensor t) { return constant_(t, 0); }
Tensor ones_(Tensor t) { return constant_(t, 1); }

}  // namespace ordo::nn::init
