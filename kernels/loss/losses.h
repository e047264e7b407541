// Losses: kernels without autograd. nll_loss, and losses of pairs of numbers: mse_loss, l1_loss, smooth_l1_loss and
// huber_loss.
#pragma once

#include <utility>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

enum class LossReduction : unsigned char { none, mean, sum };  // as ordo::Reduction

/// Values [samples, classes, inner] and targets [samples, inner].
struct NllShape {
  int64_t samples, classes, inner;
  int64_t ignore_index;
  LossReduction reduction;

  /// Where the value of sample i for class c is.
  ORDO_HD int64_t element(int64_t i, int64_t c) const { return (i / inner * classes + c) * inner + i % inner; }
};

/// The loss, and the sum of the weights of the samples that count (0-d, in accumulation dtype; undefined for `none`).
std::pair<Tensor, Tensor> nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   int64_t ignore_index, LossReduction reduction);
/// The gradient for an input of `sizes`: linear in `grad`, which has the loss's shape.
Tensor nll_loss_backward(const Tensor& grad, const Dims& sizes, const Tensor& target, const Tensor& weight,
                         int64_t ignore_index, LossReduction reduction, const Tensor& total_weight);

// Contiguous tensors; weight may be undefined. `out` of the gradient is zeros.
ORDO_DEVICES(void, nll_loss, const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight,
             const Tensor& out, const Tensor& total_weight)
ORDO_DEVICES(void, nll_loss_backward, const NllShape& s, const Tensor& grad, const Tensor& target, const Tensor& weight,
             const Tensor& total_weight, const Tensor& out)

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

/// Contiguous tensors; with a defined `grad`, the gradient.
ORDO_DEVICES(void, pair_loss, const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b,
             const Tensor& out, LossReduction reduction)

}  // namespace ordo::kernels
