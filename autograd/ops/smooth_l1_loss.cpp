#include <ordo/autograd/ops/smooth_l1_loss.h>

#include <ordo/autograd/ops/mse_loss.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/pair_loss.h>

namespace ordo {

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, double beta) {
  if (detail::raises(input, target))
    return smooth_l1_loss(detail::raise(input), detail::raise(target), reduction, beta);
  const OpCall call("smooth_l1_loss", input, target, reduction, beta);
  ORDO_CHECK(beta >= 0, ValueError, "smooth_l1_loss", "beta must not be negative, but is {}", beta);
  if (beta == 0) return call.done(l1_loss(input, target, reduction));
  return pair_loss(call, {"smooth_l1_loss", kernels::PairLoss::bent, beta, 1 / beta}, input, target, reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction, double delta) {
  if (detail::raises(input, target)) return huber_loss(detail::raise(input), detail::raise(target), reduction, delta);
  const OpCall call("huber_loss", input, target, reduction, delta);
  ORDO_CHECK(delta > 0, ValueError, "huber_loss", "delta must be positive, but is {}", delta);
  return pair_loss(call, {"huber_loss", kernels::PairLoss::bent, delta, 1}, input, target, reduction);
}

}  // namespace ordo
