// Losses of pairs of numbers (mse_loss, l1_loss, smooth_l1_loss, huber_loss): kernels without autograd.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo::kernels {

/// The loss of d = a - b: d^2, |d|, or with `bent` scale d^2 / 2 where |d| < bend and scale bend (|d| - bend / 2)
/// elsewhere.
struct PairLoss {
  enum Kind : unsigned char { squared, absolute, bent };
  const char* op;
  Kind kind;
  double bend = 0, scale = 0;

  /// What the derivative, d, its sign or d up to the bend, is multiplied by.
  double slope() const { return kind == squared ? 2 : kind == absolute ? 1 : scale; }
};

Tensor pair_loss(const PairLoss& loss, const Tensor& a, const Tensor& b, LossReduction reduction);
/// The gradient for a, in one pass; b's is its negative.
Tensor pair_loss_backward(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b,
                          LossReduction reduction);

// Contiguous tensors.
ORDO_DEVICES(void, pair_loss, const PairLoss& loss, const Tensor& a, const Tensor& b, const Tensor& out,
             LossReduction reduction)
ORDO_DEVICES(void, pair_loss_backward, const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b,
             const Tensor& out, LossReduction reduction)

}  // namespace ordo::kernels
