#include <ordo/autograd/ops/gaussian_nll_loss.h>

#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "gaussian_nll_loss", .family = "loss", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "poisson_nll_loss", .family = "loss", .dtypes = kFloatingTypes});

static constexpr double kLogTwoPi = 1.8378770664093453, kTwoPi = 6.283185307179586;

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full, double eps,
                         Reduction reduction) {
  if (detail::raises(input, target, var))
    return gaussian_nll_loss(detail::raise(input), detail::raise(target), detail::raise(var), full, eps, reduction);
  constexpr const char* op = "gaussian_nll_loss";
  const OpCall call("gaussian_nll_loss", input, target, var, full, eps, reduction);
  detail::expect_loss_input(op, input, "input");
  detail::expect_like(op, input, "input", target, "target");
  detail::expect_defined(op, var, "var");
  detail::expect_same_device(op, input, var);
  detail::expect_same_dtype(op, input, var);
  Dims outer, one = input.sizes();
  for (int d = 0; d + 1 < input.dim(); ++d) outer.push_back(input.sizes()[d]);
  if (input.dim() > 0) one[input.dim() - 1] = 1;
  const bool without_last = input.dim() > 0 && var.sizes() == outer;
  ORDO_CHECK(without_last || var.sizes() == input.sizes() || var.sizes() == one, ShapeError, op,
             "var must have the input's shape {}, or {} or {}, but has {}", input.sizes(), one, outer, var.sizes());
  detail::expect_reduction(op, reduction);
  ORDO_CHECK(!any(lt(var, 0)).item<bool>(), ValueError, op, "var must not be negative, but an element is");
  const Tensor given = detail::computed(without_last && var.sizes() != input.sizes() ? var.unsqueeze(-1) : var, input);
  // eps with the derivative of `given`.
  const Tensor v = where(lt(given, eps), given - given.detach() + eps, given);
  const Tensor difference = detail::computed(input, input) - detail::computed(target, input);
  Tensor losses = (log(v) + square(difference) / v) * 0.5;
  if (full) losses = losses + 0.5 * kLogTwoPi;
  return call.done(detail::reduced(losses, reduction, input));
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full, double eps,
                        Reduction reduction) {
  if (detail::raises(input, target))
    return poisson_nll_loss(detail::raise(input), detail::raise(target), log_input, full, eps, reduction);
  constexpr const char* op = "poisson_nll_loss";
  const OpCall call("poisson_nll_loss", input, target, log_input, full, eps, reduction);
  detail::expect_loss_input(op, input, "input");
  detail::expect_labels(op, input, target);
  detail::expect_reduction(op, reduction);
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor expected = t * (log_input ? x : log(x + eps));
  Tensor losses = log_input ? exp(x) - expected : x - expected;
  if (full) {
    const Tensor many = gt(t, 1), n = where(many, t, 1);  // no logarithm of 0, nor its derivative
    const Tensor root = 0.5 * log(n * kTwoPi);
    losses = losses + where(many, n * log(n) - n + root, 0);
  }
  return call.done(detail::reduced(losses, reduction, input));
}

}  // namespace ordo
