// Losses of pairs and triplets: what is alike is to be near, what is not, a margin apart.
//
// Inputs are floating tensors of one dtype (DTypeError). Targets hold 1 and -1, and are integers or of the inputs'
// dtype; the values are not checked. Losses are averaged, summed or as they are; sums follow rule 2 of
// docs/ordering.md: the same bits everywhere. Half types are computed in float and rounded once. At a hinge, where the
// loss begins to be more than 0, the derivative is 0.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// x where the target is 1, max(0, margin - x) where it is -1, and the sum of both elsewhere. input and target have one
/// shape (ShapeError). As torch.nn.functional.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1,
                            Reduction reduction = Reduction::mean);

/// 1 - c where the target is 1, max(0, c - margin) where it is -1, else 0, c being the cosine of the angle between two
/// vectors, x1.x2 / sqrt((x1.x1 + 1e-12) (x2.x2 + 1e-12)). inputs: [N, D] with target [N], or [D] with a 0-d target
/// (ShapeError). As torch.nn.functional.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0,
                             Reduction reduction = Reduction::mean);

/// max(0, margin - target (x1 - x2)): x1 is to be the larger one where the target is 1. Tensors of one shape
/// (ShapeError). As torch.nn.functional.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0,
                           Reduction reduction = Reduction::mean);

/// log(1 + exp(-target x)), without overflow. input and target have one shape (ShapeError). As
/// torch.nn.functional.soft_margin_loss, and also differentiable in a floating target.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// max(0, margin + d(anchor, positive) - d(anchor, negative)), d being pairwise_distance with p and eps; with `swap`,
/// the smaller one of d(anchor, negative) and d(positive, negative) takes the latter's place. Vectors are the last
/// dimension; the tensors have as many dimensions, and sizes broadcast (ShapeError). ValueError unless the margin is
/// positive. As torch.nn.functional.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin = 1,
                           double p = 2, double eps = 1e-6, bool swap = false, Reduction reduction = Reduction::mean);

}  // namespace ordo
