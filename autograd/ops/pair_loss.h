// What the losses of pairs of numbers share. Internal.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/loss/mse_loss.h>

namespace ordo {

/// The loss and its gradients for both.
Tensor pair_loss(const OpCall& call, const kernels::PairLoss& loss, const Tensor& a, const Tensor& b,
                 Reduction reduction);

}  // namespace ordo
