// Cross entropy of probabilities of yes-or-no questions.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// -w (t max(log(x), -100) + (1 - t) max(log(1 - x), -100)) of probabilities x and targets t; averaged, summed or as it
/// is. input and target: floating, of one shape (ShapeError) and dtype (DTypeError). weight w: undefined for 1, or of
/// the same dtype and of sizes that broadcast to the input's. Inputs lie in [0, 1]: others are a ValueError on the CPU,
/// and give NaN on CUDA, where looking at them would wait for the device. Targets are not checked.
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. The gradient of x is w (x - t) / max(x (1 - x),
/// 1e-12), in float for the half types. As torch.nn.functional.binary_cross_entropy, and also differentiable in weight.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::mean);

}  // namespace ordo
