// Losses.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// batchmean, of kl_div only: the sum over the number of samples, the first dimension's size.
enum class Reduction : unsigned char { none, mean, sum, batchmean };

/// (input - target)^2, averaged, summed or as it is. Floating tensors of one shape (ShapeError) and dtype. Sums follow
/// rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);
/// |input - target|, likewise. As torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// d = input - target: d^2 / (2 beta) where |d| < beta, |d| - beta / 2 elsewhere; averaged, summed or as it is. beta =
/// 0 is l1_loss; ValueError for a negative beta. Floating tensors of one shape (ShapeError) and dtype (DTypeError).
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. The gradient is d / beta, at most 1 in size. As
/// torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
                      double beta = 1);

/// d^2 / 2 where |d| < delta, delta (|d| - delta / 2) elsewhere, likewise; ValueError unless delta is positive.
/// As torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean, double delta = 1);

/// -weight[t] x[t] for every sample's log-probabilities x and class t; mean divides the sum by the sum of the weights.
/// input: [C] with a 0-d target, [N, C] with target [N], or [N, C, d1, ...] with target [N, d1, ...]; floating. target:
/// int64 or int32 classes in [0, C) (else IndexError); samples whose target is ignore_index count for nothing.
/// weight: undefined, or [C] in input's dtype. With nothing to average, mean is NaN.
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                Reduction reduction = Reduction::mean);

/// nll_loss(log_softmax(logits)) over the class dimension: the first of [C], the second otherwise. Arguments and errors
/// as nll_loss. label_smoothing e in [0, 1] (ValueError) mixes (1 - e) of that with e of the mean over all classes.
///
/// A floating target of the logits' shape and dtype (ShapeError, DTypeError) holds a probability t for each class: the
/// sum of -weight t log_softmax(logits) over the class dimension, where smoothing mixes (1 - e) t with e / C; mean
/// divides by the number of samples, whatever the weights. ignore_index has no meaning then (ValueError when it is not
/// negative); half types are computed in float, and the target has a gradient, too.
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. As torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                     Reduction reduction = Reduction::mean, double label_smoothing = 0);

/// -w (t max(log(x), -100) + (1 - t) max(log(1 - x), -100)) of probabilities x and targets t; averaged, summed or as it
/// is. input and target: floating, of one shape (ShapeError) and dtype (DTypeError). weight w: undefined for 1, or of
/// the same dtype and of sizes that broadcast to the input's. Inputs lie in [0, 1]: others are a ValueError on the CPU,
/// and give NaN on CUDA, where looking at them would wait for the device. Targets are not checked.
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. The gradient of x is w (x - t) / max(x (1 - x),
/// 1e-12), in float for the half types. As torch.nn.functional.binary_cross_entropy, and also differentiable in weight.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::mean);

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

/// t (log(t) - x) of log-probabilities x and probabilities t, where t = 0 counts as 0; with log_target, exp(t) (t - x)
/// of log-probabilities on both sides. Averaged over all elements, summed, as it is, or `batchmean`: the sum divided by
/// input.size(0), which is the divergence's mean over the samples (ShapeError for a 0-d input). input and target:
/// floating, of one shape (ShapeError) and dtype (DTypeError).
///
/// Sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half types are computed in float and rounded once.
/// Gradients of both; that of a target of 0 is NaN, as PyTorch's. As torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
              bool log_target = false);

// Negative log likelihood of numbers under normal and Poisson distributions.
//
// Losses are averaged, summed or as they are; sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half
// types are computed in float and rounded once.

/// (log(v) + (input - target)^2 / v) / 2 of means, observations and variances, v being max(var, eps); `full` adds
/// log(2 pi) / 2. input, target and var: floating, of one dtype (DTypeError); input and target of one shape, var of the
/// same, or with 1 for the last size, or without the last dimension (ShapeError). The gradient of var is that of v: eps
/// does not stop it. A negative element of var is a ValueError, for which the call waits for the device. As
/// torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full = false,
                         double eps = 1e-6, Reduction reduction = Reduction::mean);

/// exp(input) - target input of the logarithms of expected counts; without log_input, input - target log(input + eps)
/// of the expected counts. `full` adds Stirling's t log(t) - t + log(2 pi t) / 2 where the target t is more than 1.
/// input: floating; target: counts of its shape (ShapeError), integers or of its dtype (DTypeError). As
/// torch.nn.functional.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true, bool full = false,
                        double eps = 1e-8, Reduction reduction = Reduction::mean);

// Losses of pairs and triplets: what is alike is to be near, what is not, a margin apart.
//
// Inputs are floating tensors of one dtype (DTypeError). Targets hold 1 and -1, and are integers or of the inputs'
// dtype; the values are not checked. Losses are averaged, summed or as they are; sums follow rule 2 of
// docs/ordering.md: the same bits everywhere. Half types are computed in float and rounded once. At a hinge, where the
// loss begins to be more than 0, the derivative is 0.

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

// Margins between the scores of classes, and losses of several labels at once.
//
// input: floating scores, [N, C] or [C] of one sample (ShapeError). Losses are one for each sample; they are averaged,
// summed or as they are. Sums follow rule 2 of docs/ordering.md: the same bits everywhere. Half types are computed in
// float and rounded once.

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

/// -log of the probability of a target, over all ways to align it with the steps of a sequence: paths of one class per
/// step that become the target when repetitions are merged and blanks dropped. mean divides each loss by its target's
/// length (1 for an empty target) and averages over the items.
/// log_probs: [T, N, C], or [T, C] of one item; floating: logarithms of probabilities, as log_softmax gives. targets:
/// int64 or int32, [N, S], or the labels of all items one after the other in one dimension. input_lengths and
/// target_lengths: one number for each item, at most T and S; as tensors they are read on the host. What lies past an
/// item's lengths is never looked at. Labels lie in [0, C), else IndexError; they may be `blank`, which is a class too
/// (ValueError). ShapeError, DTypeError, DeviceError for what does not fit; ValueError for negative lengths.
/// A target that no path gives, such as one longer than its input, has an infinite loss, and NaN in its gradient at
/// every step; with zero_infinity both are 0. Half types are computed in float32.
///
/// Gradient: the derivative in log_probs. PyTorch's has exp(log_probs) added to it, the derivative that log_softmax
/// would take off again: in what log_probs are a log_softmax of, both give the same gradient. It cannot be
/// differentiated again (AutogradError).
/// Determinism: the same bits everywhere; rule 11 of docs/ordering.md. As torch.nn.functional.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                const std::vector<int64_t>& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);

}  // namespace ordo
