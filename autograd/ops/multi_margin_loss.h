// Margins between the scores of classes, and losses of several labels at once.
//
// input: floating scores, [N, C] or [C] of one sample (ShapeError). Losses are one for each sample; they are averaged,
// summed or as they are. Sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half types are computed in
// float and rounded once.
#pragma once

#include <ordo/autograd/ops/reduction.h>
#include <ordo/engine/tensor.h>

namespace ordo {

/// weight[t] / C times the sum of max(0, margin - x[t] + x[j])^p over the classes j that are not t. target: int32 or
/// int64 classes, [N], or 0-d for input [C] (DTypeError, ShapeError), in [0, C), else IndexError. p is 1 or 2
/// (ValueError). weight: undefined for 1, or [C] of the input's dtype; a constant to the gradient. Where a margin is
/// just kept, the derivative is 0. As torch.nn.functional.multi_margin_loss.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p = 1, double margin = 1,
                         const Tensor& weight = {}, Reduction reduction = Reduction::mean);

/// 1 / C times the sum of max(0, 1 - x[t] + x[j]) over the classes t in a sample's target and the classes j that are
/// not in it. target: int32 or int64, of the input's shape; a sample's classes stand before its first negative entry,
/// and what follows that does not count. IndexError for C and above among those that do. C numbers are held in memory
/// for each element. As torch.nn.functional.multilabel_margin_loss.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// The mean over the last dimension, of classes, of -w (t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid.
/// target: of the input's shape, integers or of its dtype, in [0, 1] by meaning. weight w: undefined for 1, or of the
/// same dtype and of sizes that broadcast to the input's. The input may have any dimensions but none. As
/// torch.nn.functional.multilabel_soft_margin_loss.
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                   Reduction reduction = Reduction::mean);

}  // namespace ordo
