#include <ordo/autograd/ops/mse_loss.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/kernels/loss/mse_loss.h>

namespace ordo {
namespace {

Tensor pair_loss(const OpCall& call, kernels::PairLoss kind, const Tensor& a, const Tensor& b, Reduction reduction) {
  const auto r = kernels::LossReduction(reduction);
  Tensor out = kernels::pair_loss(kind, a, b, r);
  if (!detail::recorded(a, b)) return call.done(std::move(out));
  return record(call, std::move(out), {a, b},
                [kind, r, a = Saved(a), b = Saved(b), for_a = a.requires_grad(),
                 for_b = b.requires_grad()](const Tensor& grad) -> TensorList {
                  Tensor g;
                  if (!grad_enabled()) {  // one pass, unless the gradient is itself to be differentiated
                    g = kernels::pair_loss_backward(kind, grad, a.get(), b.get(), r);
                  } else {
                    const bool squared = kind == kernels::PairLoss::squared;
                    const Tensor d = a.get() - b.get();
                    const double n = r == kernels::LossReduction::mean ? double(d.numel()) : 1;
                    g = (squared ? d : sign(d)) * (grad * ((squared ? 2.0 : 1.0) / n));
                  }
                  return {for_a ? g : Tensor(), for_b ? neg(g) : Tensor()};
                });
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  const OpCall call("mse_loss", input, target, reduction);
  return pair_loss(call, kernels::PairLoss::squared, input, target, reduction);
}

Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  const OpCall call("l1_loss", input, target, reduction);
  return pair_loss(call, kernels::PairLoss::absolute, input, target, reduction);
}

}  // namespace ordo
