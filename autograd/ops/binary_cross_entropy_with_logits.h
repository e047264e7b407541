// Cross entropy of yes-or-no questions.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// -(t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid, computed as max(x, 0) - x t + log(1 + exp(-|x|)).
/// logits and target: floating, of one shape (ShapeError); target in [0, 1] by meaning, not checked.
/// As torch.nn.functional.binary_cross_entropy_with_logits.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        Reduction reduction = Reduction::mean);

}  // namespace ordo
