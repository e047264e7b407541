// Negative log likelihood: kernels without autograd.
#pragma once

#include <utility>

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

enum class LossReduction : unsigned char { none, mean, sum };  // as ordo::Reduction

/// Values [samples, classes, inner] and targets [samples, inner].
struct NllShape {
  int64_t samples, classes, inner;
  int64_t ignore_index;
  LossReduction reduction;
};

/// The loss, and the sum of the weights of the samples that count (0-d, in accumulation dtype; undefined for `none`).
std::pair<Tensor, Tensor> nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   int64_t ignore_index, LossReduction reduction);
/// The gradient for an input of `sizes`: linear in `grad`, which has the loss's shape.
Tensor nll_loss_backward(const Tensor& grad, const Dims& sizes, const Tensor& target, const Tensor& weight,
                         int64_t ignore_index, LossReduction reduction, const Tensor& total_weight);

/// Contiguous tensors; weight may be undefined.
namespace cpu {
void nll_loss(const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& out,
              const Tensor& total_weight);
void nll_loss_backward(const NllShape& s, const Tensor& grad, const Tensor& target, const Tensor& weight,
                       const Tensor& total_weight, const Tensor& out);
}  // namespace cpu
namespace cuda {
void nll_loss(const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& out,
              const Tensor& total_weight);
void nll_loss_backward(const NllShape& s, const Tensor& grad, const Tensor& target, const Tensor& weight,
                       const Tensor& total_weight, const Tensor& out);
}  // namespace cuda

}  // namespace ordo::kernels
