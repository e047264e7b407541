#include <ordo/autograd/ops/functional/losses.h>

#include <algorithm>

#include <ordo/autograd/ops/functional/loss_call.h>
#include <ordo/autograd/ops/math/binary.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/binary_functions.h>
#include <ordo/kernels/loss/losses.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo::detail {

static void expect_shape_of(const char* op, const Tensor& input, const char* input_name, const Tensor& other,
                            const char* name) {
  ORDO_CHECK(input.sizes() == other.sizes(), ShapeError, op, "{} and {} must have one shape, but have {} and {}",
             input_name, name, input.sizes(), other.sizes());
}

void expect_like(const char* op, const Tensor& input, const char* input_name, const Tensor& other, const char* name) {
  expect_floating(op, input, input_name);
  expect_alike(op, input, other, name);
  expect_shape_of(op, input, input_name, other, name);
}

void expect_label_dtype(const char* op, const Tensor& input, const Tensor& target) {
  expect_defined(op, target, "target");
  expect_same_device(op, input, target);
  expect_not_bool(op, target.dtype());
  if (is_floating(target.dtype())) expect_same_dtype(op, input, target);
}

void expect_labels(const char* op, const Tensor& input, const Tensor& target) {
  expect_label_dtype(op, input, target);
  expect_shape_of(op, input, "input", target, "target");
}

void expect_weight(const char* op, const Tensor& input, const Tensor& weight, const char* name) {
  if (!weight.defined()) return;
  expect_same_device(op, input, weight);
  ORDO_CHECK(weight.dtype() == input.dtype(), DTypeError, op, "{} is {} but the input is {}", name, weight.dtype(),
             input.dtype());
  const int beyond = input.dim() - weight.dim();
  bool fits = beyond >= 0;
  for (int d = 0; fits && d < weight.dim(); ++d)
    fits = weight.sizes()[d] == 1 || weight.sizes()[d] == input.sizes()[d + beyond];
  ORDO_CHECK(fits, ShapeError, op, "{} of shape {} does not broadcast to the input's shape {}", name, weight.sizes(),
             input.sizes());
}

void expect_reduction(const char* op, Reduction reduction, Reduction last) {
  ORDO_CHECK(reduction <= last, ValueError, op, "number {} is not a reduction: there are none, mean{}", int(reduction),
             last == Reduction::sum ? " and sum" : ", sum and batchmean");
}

void expect_label_loss(const char* op, const Tensor& input, const Tensor& labels, Reduction reduction) {
  expect_floating(op, input, "input");
  expect_labels(op, input, labels);
  expect_reduction(op, reduction);
}

Tensor computed(const Tensor& t, const Tensor& input) { return t.to(input.dtype() == float64 ? float64 : float32); }

Tensor reduced(const Tensor& losses, Reduction reduction, const Tensor& input) {
  if (reduction == Reduction::none) return losses.to(input.dtype());
  return (reduction == Reduction::mean ? mean(losses) : sum(losses)).to(input.dtype());
}

}  // namespace ordo::detail

namespace ordo {

/// The derivative of a loss for d over its slope(), in differentiable operations.
static Tensor derivative(const kernels::PairLoss& loss, const Tensor& d) {
  if (loss.kind == kernels::PairLoss::squared) return d;
  if (loss.kind == kernels::PairLoss::absolute) return sign(d);
  return clamp(d, -loss.bend, loss.bend);
}

static Tensor pair_loss(const OpCall& call, const kernels::PairLoss& loss, const Tensor& a, const Tensor& b,
                        Reduction reduction) {
  const auto r = kernels::LossReduction(reduction);
  Tensor out = kernels::pair_loss(loss, a, b, r);
  if (!recorded(a, b)) return call.done(std::move(out));
  return record(call, std::move(out), {a, b}, [loss, r, a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
    Tensor g;
    if (!grad_enabled()) {  // one pass, unless the gradient is itself to be differentiated
      g = kernels::pair_loss_backward(loss, grad, a.get(), b.get(), r);
    } else {
      const Tensor d = a.get() - b.get();
      const double n = r == kernels::LossReduction::mean ? double(std::max<int64_t>(1, d.numel())) : 1;
      g = derivative(loss, d) * (grad * (loss.slope() / n));
    }
    return {needs(0) ? g : Tensor(), needs(1) ? neg(g) : Tensor()};
  });
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  ORDO_AUTOCAST_CALL(raise, mse_loss, input, target, reduction);
  return pair_loss(call, {"mse_loss", kernels::PairLoss::squared}, input, target, reduction);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  ORDO_AUTOCAST_CALL(raise, l1_loss, input, target, reduction);
  return pair_loss(call, {"l1_loss", kernels::PairLoss::absolute}, input, target, reduction);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossOptions& o) {
  ORDO_AUTOCAST(raise, smooth_l1_loss, input, target, o);
  const OpCall call("smooth_l1_loss", input, target, o.reduction, o.beta);
  ORDO_CHECK(o.beta >= 0, ValueError, "smooth_l1_loss", "beta must not be negative, but is {}", o.beta);
  if (o.beta == 0) return call.done(l1_loss(input, target, o.reduction));
  return pair_loss(call, {"smooth_l1_loss", kernels::PairLoss::bent, o.beta, 1 / o.beta}, input, target, o.reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossOptions& o) {
  ORDO_AUTOCAST(raise, huber_loss, input, target, o);
  const OpCall call("huber_loss", input, target, o.reduction, o.delta);
  ORDO_CHECK(o.delta > 0, ValueError, "huber_loss", "delta must be positive, but is {}", o.delta);
  return pair_loss(call, {"huber_loss", kernels::PairLoss::bent, o.delta, 1}, input, target, o.reduction);
}

ORDO_REGISTER_OP({.name = "binary_cross_entropy", .family = "loss", .dtypes = kFloatingTypes});

static void expect_probabilities(const Tensor& x) {
  const auto range = kernels::known_range(x);
  ORDO_CHECK(!range || (range->first >= 0 && range->second <= 1), ValueError, "binary_cross_entropy",
             "input must lie in [0, 1], but its elements reach from {} to {}", range->first, range->second);
}

static Tensor element_losses(const Tensor& x, const Tensor& t) {
  const OpCall call("binary_cross_entropy", x, t);
  Tensor out = kernels::binary_cross_entropy(x, t);
  if (!recorded(x, t)) return call.done(std::move(out));
  return record(call, std::move(out), {x, t}, [x = Saved(x), t = Saved(t)](const Tensor& grad) -> TensorList {
    const Tensor p = x.get();
    const auto slope = [&] {
      if (!grad_enabled()) return kernels::binary_cross_entropy_slope(p, t.get());
      const Tensor variance = clamp((1 - p) * p, 1e-12);  // first: the order in which second derivatives are added
      return (p - t.get()) / variance;
    };
    const auto target_slope = [&] {
      const Tensor log_p = log(p);
      return log1p(neg(p)) - log_p;
    };
    return {needs(0) ? grad * slope() : Tensor(), needs(1) ? grad * target_slope() : Tensor()};
  });
}

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const BCELossOptions& o) {
  ORDO_AUTOCAST(raise, binary_cross_entropy, input, target, o);
  const OpCall call("binary_cross_entropy", input, target, o.weight, o.reduction);
  detail::expect_like("binary_cross_entropy", input, "input", target, "target");
  detail::expect_weight("binary_cross_entropy", input, o.weight, "weight");
  detail::expect_reduction("binary_cross_entropy", o.reduction);
  expect_probabilities(input);
  Tensor losses = element_losses(detail::computed(input, input), detail::computed(target, input));
  if (o.weight.defined()) losses = losses * detail::computed(o.weight, input);
  return call.done(detail::reduced(losses, o.reduction, input));
}

/// max(x, 0) - x t + log(1 + exp(-|x|)), whose derivative is sigmoid(x) - t.
static Tensor element_losses(const OpCall& call, const Tensor& x, const Tensor& t) {
  Tensor out = no_grad([&] { return relu(x) - x * t + log1p(exp(neg(abs(x)))); });
  if (!recorded(x, t)) return call.done(std::move(out));
  return record(call, std::move(out), {x, t}, [x = Saved(x), t = Saved(t)](const Tensor& grad) -> TensorList {
    return {needs(0) ? grad * (sigmoid(x.get()) - t.get()) : Tensor(), needs(1) ? neg(grad * x.get()) : Tensor()};
  });
}

/// (1 - t) x - (1 + (q - 1) t) log(sigmoid(x)); in float for the half types.
static Tensor element_losses(const Tensor& x, const Tensor& t, const Tensor& pos_weight) {
  const Tensor log_p = logsigmoid(x), of_ones = ((pos_weight - 1) * t + 1) * log_p;
  return (1 - t) * x - of_ones;
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, const BCEWithLogitsLossOptions& o) {
  ORDO_AUTOCAST(raise, binary_cross_entropy_with_logits, logits, target, o);
  const OpCall call("binary_cross_entropy_with_logits", logits, target, o.weight, o.reduction, o.pos_weight);
  const char* const op = call.name();
  detail::expect_like(op, logits, "logits", target, "target");
  detail::expect_weight(op, logits, o.weight, "weight");
  detail::expect_weight(op, logits, o.pos_weight, "pos_weight");
  detail::expect_reduction(op, o.reduction);
  const bool plain = !o.weight.defined() && !o.pos_weight.defined();
  if (plain && o.reduction == Reduction::none) return element_losses(call, logits, target);
  if (plain) {
    const Tensor losses = element_losses(OpCall(op, logits, target), logits, target);
    return call.done(o.reduction == Reduction::mean ? mean(losses) : sum(losses));
  }
  const Tensor x = detail::computed(logits, logits), t = detail::computed(target, logits);
  Tensor losses = [&] {
    const OpCall each(op, x, t, o.pos_weight);
    return o.pos_weight.defined() ? each.done(element_losses(x, t, detail::computed(o.pos_weight, logits)))
                                  : element_losses(each, x, t);
  }();
  if (o.weight.defined()) losses = losses * detail::computed(o.weight, logits);
  return call.done(detail::reduced(losses, o.reduction, logits));
}

ORDO_REGISTER_OP({.name = "kl_div", .family = "loss", .dtypes = kFloatingTypes});

Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivLossOptions& o) {
  ORDO_AUTOCAST(raise, kl_div, input, target, o);
  const OpCall call("kl_div", input, target, o.reduction, o.log_target);
  detail::expect_like("kl_div", input, "input", target, "target");
  detail::expect_reduction("kl_div", o.reduction, Reduction::batchmean);
  ORDO_CHECK(o.reduction != Reduction::batchmean || input.dim() > 0, ShapeError, "kl_div",
             "batchmean divides by the first dimension's size, but the input is 0-d");
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor cross = o.log_target ? t - x : t * x;
  const Tensor losses = o.log_target ? exp(t) * cross : xlogy(t, t) - cross;
  if (o.reduction != Reduction::batchmean) return call.done(detail::reduced(losses, o.reduction, input));
  return call.done((sum(losses) / double(input.size(0))).to(input.dtype()));
}

ORDO_REGISTER_OPS({"gaussian_nll_loss", "poisson_nll_loss"}, {.family = "loss", .dtypes = kFloatingTypes});

static constexpr double kLogTwoPi = 1.8378770664093453, kTwoPi = 6.283185307179586;

Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         const GaussianNLLLossOptions& o) {
  ORDO_AUTOCAST(raise, gaussian_nll_loss, input, target, var, o);
  const OpCall call("gaussian_nll_loss", input, target, var, o.full, o.eps, o.reduction);
  const char* const op = call.name();
  detail::expect_like(op, input, "input", target, "target");
  detail::expect_alike(op, input, var, "var");
  Dims outer, one = input.sizes();
  for (int d = 0; d + 1 < input.dim(); ++d) outer.push_back(input.sizes()[d]);
  if (input.dim() > 0) one[input.dim() - 1] = 1;
  const bool without_last = input.dim() > 0 && var.sizes() == outer;
  ORDO_CHECK(without_last || var.sizes() == input.sizes() || var.sizes() == one, ShapeError, op,
             "var must have the input's shape {}, or {} or {}, but has {}", input.sizes(), one, outer, var.sizes());
  detail::expect_reduction(op, o.reduction);
  ORDO_CHECK(!any(lt(var, 0)).item<bool>(), ValueError, op, "var must not be negative, but an element is");
  const Tensor given = detail::computed(without_last && var.sizes() != input.sizes() ? var.unsqueeze(-1) : var, input);
  // eps with the derivative of `given`.
  const Tensor v = where(lt(given, o.eps), given - given.detach() + o.eps, given);
  const Tensor difference = detail::computed(input, input) - detail::computed(target, input);
  Tensor losses = (log(v) + square(difference) / v) * 0.5;
  if (o.full) losses = losses + 0.5 * kLogTwoPi;
  return call.done(detail::reduced(losses, o.reduction, input));
}

Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, const PoissonNLLLossOptions& o) {
  ORDO_AUTOCAST(raise, poisson_nll_loss, input, target, o);
  const OpCall call("poisson_nll_loss", input, target, o.log_input, o.full, o.eps, o.reduction);
  detail::expect_label_loss("poisson_nll_loss", input, target, o.reduction);
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor expected = t * (o.log_input ? x : log(x + o.eps));
  Tensor losses = o.log_input ? exp(x) - expected : x - expected;
  if (o.full) {
    const Tensor many = gt(t, 1), n = where(many, t, 1);  // no logarithm of 0, nor its derivative
    const Tensor root = 0.5 * log(n * kTwoPi);
    losses = losses + where(many, n * log(n) - n + root, 0);
  }
  return call.done(detail::reduced(losses, o.reduction, input));
}

}  // namespace ordo
