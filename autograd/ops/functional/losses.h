// Losses: averaged (mean), summed (sum) or one for each sample or element (none). ValueError for a number that is no
// reduction, and for an undefined tensor where it is not a weight; DeviceError for tensors on different devices.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// batchmean, of kl_div only: the sum over the number of samples, the first dimension's size.
enum class Reduction : unsigned char { none, mean, sum, batchmean };

/// (input - target)^2.
///
/// Shapes: two of one shape -> 0-d, or that shape where the reduction is none.
/// Dtypes: floating, one for both.
/// Throws: ShapeError when shapes differ; DTypeError when dtypes differ or are not floating.
/// Determinism: the same bits on every device at every level; ordering rule 2.
/// Gradient: of input, grad 2 (input - target), over the number of elements for mean; of target, its negative.
/// PyTorch: torch.nn.functional.mse_loss.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);
/// |input - target|.
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss.
/// Gradient: of input, grad sign(input - target), 0 where they are equal; of target, its negative.
/// PyTorch: torch.nn.functional.l1_loss.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

struct SmoothL1LossOptions {
  Reduction reduction = Reduction::mean;
  double beta = 1;
};
/// d^2 / (2 beta) where |d| < beta, else |d| - beta / 2, of d = input - target; l1_loss where beta is 0.
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss; ValueError when beta is negative.
/// Gradient: of input, grad d / beta, from -1 to 1; of target, its negative.
/// PyTorch: torch.nn.functional.smooth_l1_loss.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, const SmoothL1LossOptions& options = {});

struct HuberLossOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};
/// d^2 / 2 where |d| < delta, else delta (|d| - delta / 2), of d = input - target.
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss; ValueError unless delta is positive.
/// Gradient: of input, grad d, from -delta to delta; of target, its negative.
/// PyTorch: torch.nn.functional.huber_loss.
Tensor huber_loss(const Tensor& input, const Tensor& target, const HuberLossOptions& options = {});

struct ClassLossOptions {
  Tensor weight = {};  ///< per class
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
};
/// -weight[t] x[t] for every sample's log-probabilities x and class t; mean divides the sum by the sum of the weights.
///
/// Samples whose target is ignore_index count for nothing. With nothing to average, mean is NaN.
///
/// Shapes: input [C] with a 0-d target, [N, C] with [N], or [N, C, d1, ...] with [N, d1, ...]; weight [C] or none. The
/// result is 0-d, or has target's sizes where the reduction is none.
/// Dtypes: input floating, weight of its dtype; target int64 or int32.
/// Throws: ShapeError when shapes are others; DTypeError when dtypes are; IndexError when a class is outside of [0, C).
/// Determinism: as mse_loss.
/// Gradient: of input, -weight[t] grad at the target, over the sum of the weights for mean. None of weight.
/// PyTorch: torch.nn.functional.nll_loss.
Tensor nll_loss(const Tensor& input, const Tensor& target, const ClassLossOptions& options = {});

struct CrossEntropyLossOptions {
  Tensor weight = {};  ///< per class
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;
};
/// nll_loss(log_softmax(logits)) over the class dimension: the first of [C], else the second. label_smoothing e mixes
/// (1 - e) of that with e of the mean over all classes.
///
/// A floating target holds a probability t for each class: the loss is the sum of -weight t log_softmax(logits) over
/// the classes, where smoothing mixes (1 - e) t with e / C; mean divides by the number of samples, whatever the
/// weights. ignore_index has no meaning then; half types are computed in float.
///
/// Shapes, Dtypes: as nll_loss; a target of probabilities has those of the logits.
/// Throws: as nll_loss; ValueError when label_smoothing is outside of [0, 1], or ignore_index is not negative beside
/// probabilities.
/// Determinism: as mse_loss.
/// Gradient: of logits; of a target of probabilities, and of weight beside it.
/// PyTorch: torch.nn.functional.cross_entropy.
Tensor cross_entropy(const Tensor& logits, const Tensor& target, const CrossEntropyLossOptions& options = {});

struct BCELossOptions {
  Tensor weight = {};  ///< broadcasts to the input's sizes
  Reduction reduction = Reduction::mean;
};
/// -w (t max(log(x), -100) + (1 - t) max(log(1 - x), -100)) of probabilities x, targets t and weight w, 1 if undefined.
///
/// Shapes, Dtypes: as mse_loss; weight has the dtype, too, and broadcasts to input.
/// Throws: as mse_loss; ShapeError also when weight does not broadcast; ValueError when an input on the CPU is outside
/// of [0, 1]. On CUDA, where looking would wait for the device, such an input gives NaN. Targets are not checked.
/// Determinism: as mse_loss.
/// Gradient: of x, grad w (x - t) / max(x (1 - x), 1e-12), in float for half types; of target and weight too.
/// PyTorch: torch.nn.functional.binary_cross_entropy, whose weight has no gradient.
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const BCELossOptions& options = {});

struct BCEWithLogitsLossOptions {
  Tensor weight = {};  ///< broadcasts to the input's sizes
  Reduction reduction = Reduction::mean;
  Tensor pos_weight = {};  ///< of targets of 1; broadcasts likewise
};
/// -w (q t log(s(x)) + (1 - t) log(1 - s(x))) of logits x and targets t, s being the sigmoid, w the weight, q the
/// pos_weight; computed as max(x, 0) - x t + log(1 + exp(-|x|)) without a pos_weight, else as (1 - t) x - (1 + (q - 1)
/// t) log(s(x)).
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss; both weights have the dtype, too, and broadcast to the logits.
/// Targets, in [0, 1] by meaning, are not checked.
/// Gradient: of logits, grad (s(x) - t) without weights; of target and both weights too.
/// PyTorch: torch.nn.functional.binary_cross_entropy_with_logits, whose weights have no gradient.
Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        const BCEWithLogitsLossOptions& options = {});

struct KLDivLossOptions {
  Reduction reduction = Reduction::mean;
  bool log_target = false;
};
/// t (log(t) - x) of log-probabilities x and probabilities t, where t = 0 counts as 0; with log_target, exp(t) (t - x).
/// `batchmean` divides the sum by input.size(0).
///
/// Shapes, Dtypes, Throws, Determinism: as mse_loss; ShapeError also when input is 0-d and the reduction is batchmean.
/// Half types are computed in float and rounded once.
/// Gradient: of both; that of a target of 0 is NaN, as PyTorch's.
/// PyTorch: torch.nn.functional.kl_div.
Tensor kl_div(const Tensor& input, const Tensor& target, const KLDivLossOptions& options = {});

struct GaussianNLLLossOptions {
  bool full = false;
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
};
/// (log(v) + (input - target)^2 / v) / 2 of means, observations and variances, v = max(var, eps); `full` adds log(2 pi)
/// / 2.
///
/// Shapes, Dtypes: as mse_loss; var has the dtype, too, and input's shape, or 1 for its last size, or lacks the last
/// dimension.
/// Throws, Determinism: as kl_div, without batchmean; ValueError when an element of var is negative, for which the call
/// waits for the device.
/// Gradient: of all three. That of var is v's: eps does not stop it.
/// PyTorch: torch.nn.functional.gaussian_nll_loss.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         const GaussianNLLLossOptions& options = {});

struct PoissonNLLLossOptions {
  bool log_input = true;
  bool full = false;
  double eps = 1e-8;
  Reduction reduction = Reduction::mean;
};
/// exp(input) - target input of the logarithms of expected counts; without log_input, input - target log(input + eps)
/// of the expected counts. `full` adds Stirling's t log(t) - t + log(2 pi t) / 2 where the target t is more than 1.
///
/// Shapes, Dtypes, Throws, Determinism: as kl_div, without batchmean; target may be of integers.
/// Gradient: of input, and of a floating target.
/// PyTorch: torch.nn.functional.poisson_nll_loss.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, const PoissonNLLLossOptions& options = {});

struct HingeEmbeddingLossOptions {
  double margin = 1;
  Reduction reduction = Reduction::mean;
};
/// x where the target is 1, max(0, margin - x) where it is -1, and the sum of both elsewhere. Targets are not checked.
///
/// Shapes, Dtypes, Throws, Determinism: as poisson_nll_loss.
/// Gradient: of input; at a hinge, where the loss begins to be more than 0, it is 0, here and below.
/// PyTorch: torch.nn.functional.hinge_embedding_loss.
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, const HingeEmbeddingLossOptions& options = {});

/// Of CosineEmbeddingLoss and MarginRankingLoss.
struct MarginLossOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};
/// 1 - c where the target is 1, max(0, c - margin) where it is -1, else 0, of c = x1.x2 / sqrt((x1.x1 + 1e-12) (x2.x2 +
/// 1e-12)).
///
/// Shapes: inputs [N, D] with target [N], or [D] with a 0-d target -> 0-d, or target's where the reduction is none.
/// Dtypes, Throws, Determinism: as margin_ranking_loss.
/// Gradient: of both inputs.
/// PyTorch: torch.nn.functional.cosine_embedding_loss.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             const MarginLossOptions& options = {});

/// max(0, margin - target (x1 - x2)): x1 is to be the larger one where the target is 1.
///
/// Shapes, Dtypes, Throws, Determinism: as poisson_nll_loss, of three tensors.
/// Gradient: of both inputs, and of a floating target.
/// PyTorch: torch.nn.functional.margin_ranking_loss.
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           const MarginLossOptions& options = {});

/// log(1 + exp(-target x)), without overflow.
///
/// Shapes, Dtypes, Throws, Determinism: as poisson_nll_loss.
/// Gradient: of input, and of a floating target.
/// PyTorch: torch.nn.functional.soft_margin_loss.
Tensor soft_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

struct TripletMarginLossOptions {
  double margin = 1;
  double p = 2;
  double eps = 1e-6;
  bool swap = false;
  Reduction reduction = Reduction::mean;
};
/// max(0, margin + d(anchor, positive) - d(anchor, negative)), d being pairwise_distance with p and eps; with `swap`,
/// the smaller one of d(anchor, negative) and d(positive, negative) takes the latter's place.
///
/// Shapes: three [..., D] of as many dimensions, which broadcast -> 0-d, or [...] where the reduction is none.
/// Dtypes: floating, one for all.
/// Throws: ShapeError when a tensor is 0-d or shapes do not fit; DTypeError when dtypes differ or are not floating;
/// ValueError unless margin is positive.
/// Determinism: as kl_div.
/// Gradient: of all three.
/// PyTorch: torch.nn.functional.triplet_margin_loss.
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           const TripletMarginLossOptions& options = {});

struct MultiMarginLossOptions {
  int64_t p = 1;
  double margin = 1;
  Tensor weight = {};  ///< per class
  Reduction reduction = Reduction::mean;
};
/// weight[t] / C times the sum of max(0, margin - x[t] + x[j])^p over the classes j that are not t.
///
/// Shapes: input [N, C] with target [N], or [C] with a 0-d target; weight [C], or none for 1. The result is 0-d, or has
/// target's sizes where the reduction is none.
/// Dtypes: input floating, weight of its dtype; target int64 or int32.
/// Throws: ShapeError when shapes are others, or C is 0; DTypeError when dtypes are others; IndexError when a class is
/// outside of [0, C); ValueError unless p is 1 or 2.
/// Determinism: as kl_div.
/// Gradient: of input. None of weight.
/// PyTorch: torch.nn.functional.multi_margin_loss.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, const MultiMarginLossOptions& options = {});

/// 1 / C times the sum of max(0, 1 - x[t] + x[j]) over the classes t in a sample's target and the classes j not in it.
///
/// A sample's classes stand before its first negative entry; what follows that does not count. C numbers are held in
/// memory for each element.
///
/// Shapes: input and target [N, C] or [C] -> 0-d, or [N] or 0-d where the reduction is none.
/// Dtypes: input floating; target int64 or int32.
/// Throws: ShapeError when shapes differ or are others, or C is 0; DTypeError when a dtype is another; IndexError when
/// a class that counts is C or more.
/// Determinism: as kl_div.
/// Gradient: of input.
/// PyTorch: torch.nn.functional.multilabel_margin_loss.
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::mean);

/// The mean over the classes, the last dimension, of -w (t log(s(x)) + (1 - t) log(1 - s(x))), s being the sigmoid and
/// w the weight, 1 if undefined.
///
/// Shapes: input and target of one shape, at least [C]; weight broadcasts to it -> 0-d, or the shape without C where
/// the reduction is none.
/// Dtypes, Throws, Determinism: as poisson_nll_loss; weight has input's dtype. Targets, in [0, 1] by meaning, are not
/// checked.
/// Gradient: of input, weight and a floating target.
/// PyTorch: torch.nn.functional.multilabel_soft_margin_loss.
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target, const BCELossOptions& options = {});

struct CTCLossOptions {
  int64_t blank = 0;
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;
};
/// -log of the probability of a target, over all ways to align it with the steps of a sequence: paths of one class per
/// step that become the target when repetitions are merged and blanks dropped.
///
/// mean divides each loss by its target's length (1 for an empty target) and averages over the items. What lies past an
/// item's lengths is never looked at. Labels may be `blank`, which is a class too. A target that no path gives has an
/// infinite loss, and NaN in its gradient at every step; with zero_infinity both are 0. log_probs are logarithms of
/// probabilities, as log_softmax gives; half types are computed in float32.
///
/// Shapes: log_probs [T, N, C], or [T, C] of one item; targets [N, S], or the labels of all items one after the other;
/// lengths, one for each item, at most T and S, which as tensors are read on the host -> 0-d, or [N] or 0-d where the
/// reduction is none.
/// Dtypes: log_probs floating; targets and lengths int64 or int32.
/// Throws: ShapeError when shapes or lengths do not fit; DTypeError when a dtype is another; IndexError when a label is
/// outside of [0, C); ValueError when blank is, or a length is negative; AutogradError when the gradient is
/// differentiated again.
/// Determinism: the same bits on every device at every level; ordering rule 11.
/// Gradient: the derivative in log_probs. PyTorch's has exp(log_probs) added, which log_softmax would take off again:
/// of a log_softmax both give the same gradient.
/// PyTorch: torch.nn.functional.ctc_loss.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const std::vector<int64_t>& input_lengths,
                const std::vector<int64_t>& target_lengths, const CTCLossOptions& options = {});
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, const CTCLossOptions& options = {});

}  // namespace ordo
