// Cross entropy of yes-or-no questions.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// -w (q t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid, w the weight and q the pos_weight, computed as
/// max(x, 0) - x t + log(1 + exp(-|x|)) where q is 1, else as (1 - t) x - (1 + (q - 1) t) log(s(x)).
/// logits and target: floating, of one shape (ShapeError); target in [0, 1] by meaning, not checked. weight and
/// pos_weight: undefined for 1, or of the same dtype (DTypeError) and of sizes that broadcast to the logits'
/// (ShapeError). As torch.nn.functional.binary_cross_entropy_with_logits, and also differentiable in both weights.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, const Tensor& weight = {},
                                        Reduction reduction = Reduction::mean, const Tensor& pos_weight = {});
/// Without weights.
inline Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, Reduction reduction) {
  return binary_cross_entropy_with_logits(logits, target, Tensor(), reduction);
}

}  // namespace ordo
