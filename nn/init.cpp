#include <ordo/nn/init.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/arange.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/linalg/linalg.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/enumerator.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/math/math.h>
#include <ordo/nn/module.h>

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
  if (nonlinearity == Nonlinearity::tanh) return 5.0 / 3.0;
  if (nonlinearity == Nonlinearity::relu) return std::sqrt(2.0);
  if (nonlinearity == Nonlinearity::leaky_relu) return std::sqrt(2.0 / (1.0 + negative_slope * negative_slope));
  return nonlinearity == Nonlinearity::selu ? 3.0 / 4.0 : 1.0;
}

static double kaiming_std(const Tensor& t, const KaimingOptions& options) {
  detail::expect_enumerator("init", options.fan, Fan::fan_out, "a fan: there are fan_in and fan_out");
  const Fans f = fans(t);
  const int64_t fan = options.fan == Fan::fan_in ? f.in : f.out;
  return gain(options.nonlinearity, options.negative_slope) / std::sqrt(double(fan));
}

static double xavier_std(const Tensor& t, double gain) {
  const Fans f = fans(t);
  return gain * std::sqrt(2.0 / double(f.in + f.out));
}

/// U(-b, b) of this standard deviation.
static Tensor spread(Tensor t, double deviation) {
  const double bound = std::sqrt(3.0) * deviation;
  return init::uniform_(t, -bound, bound);
}

// Fans of a tensor without elements may be 0.
Tensor kaiming_uniform_(Tensor t, KaimingOptions options) {
  return t.numel() == 0 ? t : spread(t, kaiming_std(t, options));
}
Tensor kaiming_normal_(Tensor t, KaimingOptions options) {
  return t.numel() == 0 ? t : init::normal_(t, 0, kaiming_std(t, options));
}
Tensor xavier_uniform_(Tensor t, double gain) { return t.numel() == 0 ? t : spread(t, xavier_std(t, gain)); }
Tensor xavier_normal_(Tensor t, double gain) { return t.numel() == 0 ? t : init::normal_(t, 0, xavier_std(t, gain)); }

Tensor uniform_(Tensor t, double low, double high) {
  return no_grad([&] { return ordo::uniform_(t, low, high); });
}
Tensor normal_(Tensor t, double mean, double std) {
  return no_grad([&] { return ordo::normal_(t, mean, std); });
}
Tensor constant_(Tensor t, Scalar value) {
  return no_grad([&] { return t.fill_(value); });
}
Tensor zeros_(Tensor t) { return constant_(t, 0); }
Tensor ones_(Tensor t) { return constant_(t, 1); }

// -- truncated --------------------------------------------------------------------------------------------------------

/// The normal distribution function, to full precision where x is below 0.
static double normal_cdf(double x) { return 0.5 * math::erfc(x * -0.70710678118654752); }

/// The x in [low, high] of which that function is p, by Newton's steps, or half the interval where one leads out of it.
static double inverse_cdf(double p, double low, double high) {
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

Tensor trunc_normal_(Tensor t, double mean, double std, double a, double b) {
  const char* const op = "trunc_normal_";
  detail::expect_floating(op, t, "tensor");
  ORDO_CHECK(std > 0, ValueError, op, "needs std above 0, not {}", std);
  ORDO_CHECK(a < b, ValueError, op, "needs a below b, not {} and {}", a, b);
  NoGrad guard;
  // A uniform number between the distribution function's values at a and b, and where the function has that value. On
  // the upper half the function cannot tell numbers apart that it can on the lower, where an interval is mirrored to.
  constexpr double kFar = 38;  // the function is 0 below -38
  double low = std::clamp((a - mean) / std, -kFar, kFar), high = std::clamp((b - mean) / std, -kFar, kFar);
  const bool mirrored = low + high > 0;
  if (mirrored) low = -std::exchange(high, -low);
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

// -- matrices and windows ---------------------------------------------------------------------------------------------

static void expect_matrix(const char* op, const Tensor& t) {
  detail::expect_defined(op, t, "tensor");
  ORDO_CHECK(t.dim() == 2, ShapeError, op, "takes a matrix, not a tensor of shape {}", t.sizes());
}

Tensor orthogonal_(Tensor t, double gain) {
  detail::expect_floating("orthogonal_", t, "tensor");
  ORDO_CHECK(t.dim() >= 2, ShapeError, "orthogonal_", "takes two dimensions or more, not {}", t.sizes());
  if (t.numel() == 0) return t;
  NoGrad guard;
  const int64_t rows = t.size(0), columns = t.numel() / rows;
  const Tensor normal = randn({rows, columns}, t.dtype() == float64 ? float64 : float32);
  const QrResult qr = ordo::qr(rows < columns ? normal.t() : normal);
  // Without the signs the distribution would not be uniform: Householder's reflections choose them.
  const Tensor signs = where(diagonal(qr.R) < 0, full({}, -1, qr.R.options()), full({}, 1, qr.R.options()));
  const Tensor q = qr.Q * signs;
  t.copy_(((rows < columns ? q.t() : q) * gain).reshape(t.sizes()));
  return t;
}

Tensor eye_(Tensor t) {
  expect_matrix("eye_", t);
  NoGrad guard;
  t.copy_(eye(t.size(0), t.size(1), t.options()));
  return t;
}

Tensor dirac_(Tensor t, int64_t groups) {
  const char* const op = "dirac_";
  detail::expect_defined(op, t, "tensor");
  ORDO_CHECK(t.dim() >= 3 && t.dim() <= 5, ShapeError, op,
             "takes a convolution's weight of 3 to 5 dimensions, not shape {}", t.sizes());
  ORDO_CHECK(groups > 0 && t.size(0) % groups == 0, ValueError, op, "groups = {} must divide the {} output channels",
             groups, t.size(0));
  NoGrad guard;
  t.zero_();
  if (t.numel() == 0) return t;
  Tensor middle = t.detach();
  for (int d = t.dim() - 1; d >= 2; --d) middle = middle.select(d, t.size(d) / 2);
  const int64_t each = t.size(0) / groups;
  for (int64_t g = 0; g < groups; ++g) {
    Tensor part = middle.narrow(0, g * each, each);
    part.copy_(eye(each, t.size(1), t.options()));
  }
  return t;
}

Tensor sparse_(Tensor t, double sparsity, double std) {
  const char* const op = "sparse_";
  expect_matrix(op, t);
  ORDO_CHECK(sparsity >= 0 && sparsity <= 1, ValueError, op, "sparsity = {} must lie in [0, 1]", sparsity);
  init::normal_(t, 0, std);
  NoGrad guard;
  const int64_t rows = t.size(0), columns = t.size(1), zeros = int64_t(std::ceil(sparsity * double(rows)));
  for (int64_t c = 0; c < columns; ++c) {
    const Tensor gone = (randperm(rows) < zeros).to(t.device());
    t.select(1, c).copy_(masked_fill(t.select(1, c), gone, 0));
  }
  return t;
}

// -- by name ----------------------------------------------------------------------------------------------------------

namespace {

struct Named {
  const char* name;
  Tensor (*initialise)(Tensor);
};
constexpr Named kNamed[] = {
    {"dirac_", [](Tensor t) { return dirac_(t); }},
    {"eye_", eye_},
    {"kaiming_normal_", [](Tensor t) { return kaiming_normal_(t); }},
    {"kaiming_uniform_", [](Tensor t) { return kaiming_uniform_(t); }},
    {"normal_", [](Tensor t) { return init::normal_(t); }},
    {"ones_", ones_},
    {"orthogonal_", [](Tensor t) { return orthogonal_(t); }},
    {"trunc_normal_", [](Tensor t) { return trunc_normal_(t); }},
    {"uniform_", [](Tensor t) { return init::uniform_(t); }},
    {"xavier_normal_", [](Tensor t) { return xavier_normal_(t); }},
    {"xavier_uniform_", [](Tensor t) { return xavier_uniform_(t); }},
    {"zeros_", zeros_},
};

}  // namespace

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Named& known : kNamed) all.push_back(known.name);
  return all;
}

Initialiser by_name(std::string_view name) {
  std::string list;
  for (const Named& known : kNamed) {
    if (known.name == name) return known.initialise;
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  detail::fail<ValueError>("init", "\"{}\" is not an initialiser; there are {}", name, list);
}

int64_t apply(ModuleBase& model, std::string_view name) { return init::apply(model, by_name(name)); }

int64_t apply(ModuleBase& model, const Initialiser& initialiser) {
  ORDO_CHECK(initialiser, ValueError, "init", "needs a function to apply");
  int64_t count = 0;
  for (const Tensor& parameter : model.parameters()) {
    if (parameter.dim() < 2) continue;
    initialiser(parameter);
    ++count;
  }
  return count;
}

}  // namespace ordo::nn::init
