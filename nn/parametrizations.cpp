#include <ordo/nn/parametrizations.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/linalg/distance.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/parameter_slot.h>

namespace ordo::nn::parametrizations {

/// The slices along `dim` as rows of a matrix.
static Tensor rows(const char* op, const Tensor& weight, int64_t dim) {
  ORDO_CHECK(dim >= -weight.dim() && dim < weight.dim(), IndexError, op,
             "the parameter has no dimension {}: its sizes are {}", dim, weight.sizes());
  const int64_t n = weight.size(dim);
  return weight.movedim({dim}, {0}).reshape({n, n == 0 ? 0 : weight.numel() / n});
}

static Tensor norm_of(const Tensor& weight, std::optional<int64_t> dim) {
  if (!dim) return norm(weight);
  const Tensor norms = norm(rows("weight_norm", weight, *dim), 2, {1});
  std::vector<int64_t> sizes(size_t(weight.dim()), 1);
  sizes[size_t(*dim < 0 ? *dim + weight.dim() : *dim)] = norms.numel();
  return norms.reshape(sizes);
}

void weight_norm(const ModuleBase& module, const std::string& name, std::optional<int64_t> dim) {
  const NoGrad guard;
  Parametrized::add(
      "weight_norm", module, name,
      [&](const Tensor& weight) {
        return Parametrized::Parts{{{name + "_g", norm_of(weight, dim)}, {name + "_v", weight.clone()}}, {}};
      },
      [dim](const TensorList& from, bool) {
        const Tensor length = norm_of(from[1], dim);
        return from[1] * (from[0] / length);
      });
}

void spectral_norm(const ModuleBase& module, const std::string& name, int64_t n_power_iterations, double eps,
                   int64_t dim) {
  const char* op = "spectral_norm";
  ORDO_CHECK(n_power_iterations >= 0, ValueError, op, "needs n_power_iterations of at least 0, not {}",
             n_power_iterations);
  ORDO_CHECK(eps > 0, ValueError, op, "needs an eps above 0, not {}", eps);
  const NoGrad guard;
  const auto unit = [eps](const Tensor& x) { return normalize(x, 2, 0, eps); };
  Parametrized::add(
      op, module, name,
      [&](const Tensor& weight) {
        const Tensor w = rows(op, weight, dim);
        const Tensor u = unit(randn({w.size(0)}, w.options())), v = unit(randn({w.size(1)}, w.options()));
        return Parametrized::Parts{{{name + "_orig", weight.clone()}}, {{name + "_u", u}, {name + "_v", v}}};
      },
      [=](const TensorList& from, bool training) {
        const Tensor w = rows(op, from[0], dim);
        Tensor u = from[1], v = from[2];
        if (training) {
          const NoGrad constants;
          for (int64_t i = 0; i < n_power_iterations; ++i) {
            v.copy_(unit(mv(w.t(), u)));
            u.copy_(unit(mv(w, v)));
          }
        }
        u = u.clone(), v = v.clone();  // of this call: later ones change the buffers before its backward pass
        const Tensor sigma = dot(u, mv(w, v));
        return from[0] / sigma;
      });
}

}  // namespace ordo::nn::parametrizations
