#include <ordo/autograd/ops/mse_loss.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/pair_loss.h>

namespace ordo {
namespace {

/// The derivative of a loss for d over its slope(), in differentiable operations.
Tensor derivative(const kernels::PairLoss& loss, const Tensor& d) {
  if (loss.kind == kernels::PairLoss::squared) return d;
  if (loss.kind == kernels::PairLoss::absolute) return sign(d);
  return clamp(d, -loss.bend, loss.bend);
}

}  // namespace

Tensor pair_loss(const OpCall& call, const kernels::PairLoss& loss, const Tensor& a, const Tensor& b,
                 Reduction reduction) {
  const auto r = kernels::LossReduction(reduction);
  Tensor out = kernels::pair_loss(loss, a, b, r);
  if (!detail::recorded(a, b)) return call.done(std::move(out));
  return record(call, std::move(out), {a, b},
                [loss, r, a = Saved(a), b = Saved(b), for_a = a.requires_grad(),
                 for_b = b.requires_grad()](const Tensor& grad) -> TensorList {
                  Tensor g;
                  if (!grad_enabled()) {  // one pass, unless the gradient is itself to be differentiated
                    g = kernels::pair_loss_backward(loss, grad, a.get(), b.get(), r);
                  } else {
                    const Tensor d = a.get() - b.get();
                    const double n = r == kernels::LossReduction::mean ? double(std::max<int64_t>(1, d.numel())) : 1;
                    g = derivative(loss, d) * (grad * (loss.slope() / n));
                  }
                  return {for_a ? g : Tensor(), for_b ? neg(g) : Tensor()};
                });
}

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  if (detail::raises(input, target)) return mse_loss(detail::raise(input), detail::raise(target), reduction);
  const OpCall call("mse_loss", input, target, reduction);
  return pair_loss(call, {"mse_loss", kernels::PairLoss::squared}, input, target, reduction);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  if (detail::raises(input, target)) return l1_loss(detail::raise(input), detail::raise(target), reduction);
  const OpCall call("l1_loss", input, target, reduction);
  return pair_loss(call, {"l1_loss", kernels::PairLoss::absolute}, input, target, reduction);
}

}  // namespace ordo
