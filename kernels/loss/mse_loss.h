// mse_loss and l1_loss: kernels without autograd.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo::kernels {

enum class PairLoss : unsigned char { squared, absolute };

/// Of (a - b)^2 or |a - b|.
Tensor pair_loss(PairLoss kind, const Tensor& a, const Tensor& b, LossReduction reduction);
/// The gradient for a, in one pass; b's is its negative.
Tensor pair_loss_backward(PairLoss kind, const Tensor& grad, const Tensor& a, const Tensor& b, LossReduction reduction);

/// Contiguous tensors.
namespace cpu {
void pair_loss(PairLoss kind, const Tensor& a, const Tensor& b, const Tensor& out, LossReduction reduction);
void pair_loss_backward(PairLoss kind, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out,
                        LossReduction reduction);
}  // namespace cpu
namespace cuda {
void pair_loss(PairLoss kind, const Tensor& a, const Tensor& b, const Tensor& out, LossReduction reduction);
void pair_loss_backward(PairLoss kind, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out,
                        LossReduction reduction);
}  // namespace cuda

}  // namespace ordo::kernels
