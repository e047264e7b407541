// Initialisers of matrices and of windows, and initialisers by name.
#include <cmath>

#include <fmt/format.h>
#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/arange.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/diagonal.h>
#include <ordo/autograd/ops/linalg.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/init.h>
#include <ordo/nn/module.h>

namespace ordo::nn::init {
namespace {

void expect_matrix(const char* op, const Tensor& t) {
  detail::expect_defined(op, t, "tensor");
  ORDO_CHECK(t.dim() == 2, ShapeError, op, "takes a matrix, not a tensor of shape {}", t.sizes());
}

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

Tensor orthogonal_(Tensor t, double gain) {
  detail::expect_defined("orthogonal_", t, "tensor");
  detail::expect_floating("orthogonal_", t);
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
