#include <ordo/nn/optim/clip_grad.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/autograd/ops/shape/cat.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::optim {

static TensorList gradients_of(const char* op, const TensorList& parameters) {
  TensorList all;
  for (const Tensor& p : parameters) {
    detail::expect_defined(op, p, "parameter");
    if (p.grad().defined()) all.push_back(p.grad().detach());
  }
  return all;
}

Tensor clip_grad_norm_(const TensorList& parameters, double max_norm, double p, bool error_if_nonfinite) {
  const ordo::detail::LibraryCall library;
  const char* op = "clip_grad_norm_";
  ORDO_CHECK(max_norm > 0, ValueError, op, "needs a largest norm above 0, not {}", max_norm);
  ORDO_CHECK(p > 0, ValueError, op, "needs p above 0, not {}", p);
  NoGrad guard;
  const TensorList gradients = gradients_of(op, parameters);
  if (gradients.empty()) return zeros({});
  DType wide = float32;
  for (const Tensor& g : gradients)
    if (g.dtype() == float64) wide = float64;
  TensorList norms;
  for (const Tensor& g : gradients) norms.push_back(norm(g.to(wide), p).to(gradients[0].device()));
  const Tensor total = norm(stack(norms), p);
  if (error_if_nonfinite)
    ORDO_CHECK(std::isfinite(total.item<double>()), ValueError, op, "the norm of the gradients is {}",
               total.item<double>());
  const Tensor factor = (max_norm / (total + 1e-6)).clamp({}, 1.0);
  for (Tensor g : gradients) g.mul_(factor.to(g.device(), g.dtype()));
  return total;
}

void clip_grad_value_(const TensorList& parameters, double value) {
  const ordo::detail::LibraryCall library;
  const char* op = "clip_grad_value_";
  ORDO_CHECK(value >= 0, ValueError, op, "needs a bound of at least 0, not {}", value);
  NoGrad guard;
  for (Tensor g : gradients_of(op, parameters)) g.copy_(g.clamp(-value, value));
}

}  // namespace ordo::optim
