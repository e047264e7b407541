// Losses. A loss of each element or sample, then reduced: averaged (mean), summed (sum) or as it is (none). Sums follow
// ordering rule 2 (docs/ordering.md). ValueError for a value that Reduction does not have. ValueError for an undefined
// tensor.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// batchmean, of kl_div only: the sum over the number of samples, the first dimension's size.
enum class Reduction : unsigned char { none, mean, sum, batchmean };

/// (input - target)^2.
///
/// Shapes: input and target of one shape; the result has it, or is 0-d when it is reduced.
/// Dtypes: floating, one for both.
/// Throws: ShapeError when shapes differ; DTypeError when dtypes differ or are not floating; DeviceError when the
/// tensors are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, 2 (input - target) grad; of target, minus that.
/// PyTorch: torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);
/// |input - target|.
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss.
/// Gradient: of input, the sign of input - target times grad; of target, minus that.
/// PyTorch: torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// d = input - target: d^2 / (2 beta) where |d| < beta, else |d| - beta / 2; beta = 0 is l1_loss.
///
/// Shapes, Dtypes: as mse_loss.
/// Throws: as mse_loss; ValueError when beta is negative.
/// Determinism: as mse_loss.
/// Gradient: of input, d / beta, cut off at -1 and 1, times grad; of target, minus that.
/// PyTorch: torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
                      double beta = 1);

/// d = input - target: d^2 / 2 where |d| < delta, else delta (|d| - delta / 2).
///
/// Shapes, Dtypes: as mse_loss.
/// Throws: as mse_loss; ValueError when delta is not positive.
/// Determinism: as mse_loss.
/// Gradient: of input, d, cut off at -delta and delta, times grad; of target, minus that.
/// PyTorch: torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean, double delta = 1);

/// -weight[t] x[t] of each sample's log-probabilities x and class t; mean divides the sum by the sum of the weights.
///
/// Shapes: input [C] with a 0-d target, [N, C] with target [N], or [N, C, d1, ...] with target [N, d1, ...]; weight [C]
/// or undefined. Samples whose target is ignore_index do not count; with nothing to average, mean is NaN.
/// Dtypes: input floating; target int64 or int32; weight of input's dtype.
/// Throws: IndexError when a target is neither in [0, C) nor ignore_index; ShapeError when shapes do not fit;
/// DTypeError when dtypes are others; DeviceError when the tensors are on different devices.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, -weight[t] grad at each target, over the sum of the weights for mean.
/// PyTorch: torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                Reduction reduction = Reduction::mean);

/// nll_loss(log_softmax(logits)) over the class dimension. label_smoothing e mixes (1 - e) of that with e of the mean
/// over all classes. A floating target holds a probability t for each class: the sum of -weight t log_softmax(logits),
/// where smoothing mixes (1 - e) t with e / C, and mean divides by the number of samples, whatever the weights.
///
/// Shapes: as nll_loss; the class dimension is the first of [C], else the second. A floating target has logits' shape.
/// Dtypes: as nll_loss; a floating target has logits' dtype. Half types with it are computed in float.
/// Throws: as nll_loss; ValueError when label_smoothing is not in [0, 1], or when ignore_index is not negative beside a
/// floating target, where it has no meaning.
/// Determinism: as nll_loss.
/// Gradient: of logits, softmax - target, weighted as the loss; of a floating target, too.
/// PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const Tensor& weight = {}, int64_t ignore_index = -100,
                     Reduction reduction = Reduction::mean, double label_smoothing = 0);

/// -w (t max(log(x), -100) + (1 - t) max(log(1 - x), -100)) of probabilities x, targets t and weights w.
///
/// Shapes: input and target of one shape; weight broadcasts to it, or is undefined for 1.
/// Dtypes: floating, one for all.
/// Throws: ShapeError, DTypeError, DeviceError as mse_loss; ValueError when an input on the CPU is not in [0, 1]. On
/// CUDA, where looking would wait for the device, such an input gives NaN. Targets are not checked.
/// Determinism: the same bits on every device at every level.
/// Gradient: of input, w (x - t) / max(x (1 - x), 1e-12) grad, in float for half types; of target and weight, too.
/// PyTorch: torch.nn.functional.binary_cross_entropy, which does not differentiate in weight.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::mean);

/// -w (q t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid, w the weight and q the pos_weight. It is computed
/// as max(x, 0) - x t + log(1 + exp(-|x|)) where q is 1, else as (1 - t) x - (1 + (q - 1) t) log(s(x)).
///
/// Shapes: logits and target of one shape; weight and pos_weight broadcast to it, or are undefined for 1.
/// Dtypes: floating, one for all.
/// Throws: ShapeError, DTypeError, DeviceError as mse_loss. Targets, in [0, 1] by meaning, are not checked.
/// Determinism: the same bits on every device at every level.
/// Gradient: of all four.
/// PyTorch: torch.nn.functional.binary_cross_entropy_with_logits, which does not differentiate in the weights.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, const Tensor& weight = {},
                                        Reduction reduction = Reduction::mean, const Tensor& pos_weight = {});
/// Without weights.
inline Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, Reduction reduction) {
  return binary_cross_entropy_with_logits(logits, target, Tensor(), reduction);
}

/// t (log(t) - x) of log-probabilities x and probabilities t, 0 where t = 0; with log_target, exp(t) (t - x) of
/// log-probabilities on both sides. `batchmean` divides the sum by input.size(0): the divergence's mean over samples.
///
/// Shapes, Dtypes: as mse_loss; half types are computed in float and rounded once.
/// Throws: as mse_loss; ShapeError also when input is 0-d and the reduction is batchmean.
/// Determinism: as mse_loss.
/// Gradient: of both; that of a target of 0 is NaN, as PyTorch's.
/// PyTorch: torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean,
              bool log_target = false);

// -- negative log likelihood of numbers -------------------------------------------------------------------------------

/// (log(v) + (input - target)^2 / v) / 2 of means, observations and variances, v being max(var, eps); `full` adds log(2
/// pi) / 2.
///
/// Shapes: input and target of one shape; var of the same, or with 1 for the last size, or without the last dimension.
/// Dtypes: floating, one for all; half types are computed in float and rounded once.
/// Throws: ShapeError, DTypeError, DeviceError as mse_loss; ValueError when an element of var is negative, for which
/// the call waits for the device.
/// Determinism: as mse_loss.
/// Gradient: of all three; that of var is that of v: eps does not stop it.
/// PyTorch: torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full = false,
                         double eps = 1e-6, Reduction reduction = Reduction::mean);

/// exp(input) - target input of the logarithms of expected counts; without log_input, input - target log(input + eps)
/// of the expected counts. `full` adds Stirling's t log(t) - t + log(2 pi t) / 2 where the target t is more than 1.
///
/// Shapes: as mse_loss.
/// Dtypes: input floating; target counts, integers or of input's dtype. Half types are computed in float.
/// Throws, Determinism: as mse_loss.
/// Gradient: of input, and of a floating target.
/// PyTorch: torch.nn.functional.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input = true, bool full = false,
                        double eps = 1e-8, Reduction reduction = Reduction::mean);

// -- pairs and triplets -----------------------------------------------------------------------------------------------
// Targets hold 1 and -1; values are not checked. At a hinge, where the loss begins to be more than 0, the derivative is 0.

/// x where the target is 1, max(0, margin - x) where it is -1, and the sum of both elsewhere.
///
/// Shapes: as mse_loss.
/// Dtypes: input floating; target integers or of input's dtype. Half types are computed in float and rounded once.
/// Throws, Determinism: as mse_loss.
/// Gradient: of input.
/// PyTorch: torch.nn.functional.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1,
                            Reduction reduction = Reduction::mean);

/// 1 - c where the target is 1, max(0, c - margin) where it is -1, else 0. c is the cosine of the angle between two
/// vectors, x1.x2 / sqrt((x1.x1 + 1e-12) (x2.x2 + 1e-12)).
///
/// Shapes: inputs [N, D] with target [N], or [D] with a 0-d target.
/// Dtypes: as hinge_embedding_loss, one for both inputs.
/// Throws, Determinism: as mse_loss.
/// Gradient: of both inputs.
/// PyTorch: torch.nn.functional.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0,
                             Reduction reduction = Reduction::mean);

/// max(0, margin - target (x1 - x2)): where the target is 1, x1 should be the larger one.
///
/// Shapes: three tensors of one shape.
/// Dtypes: as cosine_embedding_loss.
/// Throws, Determinism: as mse_loss.
/// Gradient: of both inputs.
/// PyTorch: torch.nn.functional.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target, double margin = 0,
                           Reduction reduction = Reduction::mean);

/// log(1 + exp(-target x)), without overflow.
///
/// Shapes: as mse_loss.
/// Dtypes: as hinge_embedding_loss.
/// Throws, Determinism: as mse_loss.
/// Gradient: of input, and of a floating target.
/// PyTorch: torch.nn.functional.soft_margin_loss, which does not differentiate in the target.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// max(0, margin + d(anchor, positive) - d(anchor, negative)), d being pairwise_distance with p and eps; with `swap`,
/// the smaller one of d(anchor, negative) and d(positive, negative) takes the latter's place.
///
/// Shapes: three tensors of as many dimensions that broadcast; vectors are the last dimension.
/// Dtypes: floating, one for all; half types are computed in float and rounded once.
/// Throws: as mse_loss; ValueError when margin is not positive.
/// Determinism: as mse_loss.
/// Gradient: of all three.
/// PyTorch: torch.nn.functional.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin = 1,
                           double p = 2, double eps = 1e-6, bool swap = false, Reduction reduction = Reduction::mean);

// -- margins between classes, and several labels at once --------------------------------------------------------------

/// weight[t] / C times the sum of max(0, margin - x[t] + x[j])^p over the classes j that are not t.
///
/// Shapes: input [N, C] with target [N], or [C] with a 0-d target; weight [C], or undefined for 1. One loss per sample.
/// Dtypes: input floating; target int32 or int64; weight of input's dtype. Half types are computed in float.
/// Throws: IndexError when a target is not in [0, C); ValueError when p is neither 1 nor 2; ShapeError, DTypeError,
/// DeviceError when tensors do not fit.
/// Determinism: as mse_loss.
/// Gradient: of input; weight is a constant. Where a margin is just kept, the derivative is 0.
/// PyTorch: torch.nn.functional.multi_margin_loss.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, int64_t p = 1, double margin = 1,
                         const Tensor& weight = {}, Reduction reduction = Reduction::mean);

/// 1 / C times the sum of max(0, 1 - x[t] + x[j]) over the classes t in a sample's target and the classes j that are
/// not in it. It needs memory for C numbers per element.
///
/// Shapes: input and target [N, C] or [C]. A sample's classes stand before its first negative entry; what follows that
/// does not count. One loss per sample.
/// Dtypes: as multi_margin_loss.
/// Throws: IndexError when a class that counts is C or more; ShapeError, DTypeError, DeviceError when tensors do not
/// fit.
/// Determinism: as mse_loss.
/// Gradient: of input.
/// PyTorch: torch.nn.functional.multilabel_margin_loss.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// The mean over classes, the last dimension, of -w (t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid.
///
/// Shapes: input and target of one shape, not 0-d; weight w broadcasts to it, or is undefined for 1. One loss per
/// sample.
/// Dtypes: input floating; target integers or of input's dtype; weight of input's dtype. Half types are computed in
/// float.
/// Throws: as mse_loss. Targets, in [0, 1] by meaning, are not checked.
/// Determinism: as mse_loss.
/// Gradient: of input.
/// PyTorch: torch.nn.functional.multilabel_soft_margin_loss.
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                                   Reduction reduction = Reduction::mean);

/// -log of the probability of a target, over all ways to align it with the steps of a sequence: paths of one class per
/// step that become the target when repetitions are merged and blanks dropped. mean divides each loss by its target's
/// length (1 for an empty target) and averages over the items. A target that no path gives, such as one longer than its
/// input, has an infinite loss, and NaN in its gradient at every step; with zero_infinity both are 0.
///
/// Shapes: log_probs [T, N, C], or [T, C] of one item: logarithms of probabilities, as log_softmax gives. targets [N,
/// S], or the labels of all items one after the other in one dimension. input_lengths and target_lengths: a number for
/// each item, at most T and S; as tensors they are read on the host. What lies past an item's lengths is never read.
/// Dtypes: log_probs floating, half types computed in float32; targets and lengths int64 or int32.
/// Throws: IndexError when a label is not in [0, C); ValueError when blank is not in [0, C), or a length is negative;
/// ShapeError, DTypeError, DeviceError when tensors do not fit.
/// Determinism: the same bits on every device at every level; ordering rule 11.
/// Gradient: of log_probs, once (AutogradError when it is differentiated again). PyTorch's has exp(log_probs) added,
/// which the gradient of log_softmax takes off again: with respect to what is given to log_softmax both are equal.
/// PyTorch: torch.nn.functional.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                const std::vector<int64_t>& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0, Reduction reduction = Reduction::mean,
                bool zero_infinity = false);

}  // namespace ordo
