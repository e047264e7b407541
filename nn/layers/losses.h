// Losses as objects that keep their options.
//
//   nn::CrossEntropyLoss criterion({.label_smoothing = 0.1});
//   criterion(model(images), labels).backward();
#pragma once

#include <utility>

#include <ordo/autograd/ops/functional/losses.h>
#include <ordo/nn/members.h>

namespace ordo::nn {

struct ClassLossOptions {
  Tensor weight = {};  ///< per class
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
};

struct CrossEntropyLossOptions {
  Tensor weight = {};  ///< per class
  int64_t ignore_index = -100;
  Reduction reduction = Reduction::mean;
  double label_smoothing = 0;
};

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

struct BCELossOptions {
  Tensor weight = {};  ///< broadcasts to the input's sizes
  Reduction reduction = Reduction::mean;
};

struct BCEWithLogitsLossOptions {
  Tensor weight = {};  ///< broadcasts to the input's sizes
  Reduction reduction = Reduction::mean;
  Tensor pos_weight = {};  ///< of targets of 1; broadcasts likewise
};

struct KLDivLossOptions {
  Reduction reduction = Reduction::mean;
  bool log_target = false;
};

struct SmoothL1LossOptions {
  Reduction reduction = Reduction::mean;
  double beta = 1;
};

struct HuberLossOptions {
  Reduction reduction = Reduction::mean;
  double delta = 1;
};

struct GaussianNLLLossOptions {
  bool full = false;
  double eps = 1e-6;
  Reduction reduction = Reduction::mean;
};

struct PoissonNLLLossOptions {
  bool log_input = true;
  bool full = false;
  double eps = 1e-8;
  Reduction reduction = Reduction::mean;
};

/// `function` of the tensors in their order, then of the members of `Options` in theirs: CrossEntropyLoss calls
/// cross_entropy, BCELoss binary_cross_entropy.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.CrossEntropyLoss and so on.
template <auto function, class Options, class... Inputs>
class Loss {
 public:
  explicit Loss(Options options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Inputs&... inputs) const {
    constexpr size_t members = ordo::detail::parameter_count(function) - sizeof...(Inputs);
    return std::apply(function, std::tuple_cat(std::tie(inputs...), ordo::detail::members_of<members>(options_)));
  }

 private:
  Options options_;
};

using CrossEntropyLoss = Loss<cross_entropy, CrossEntropyLossOptions, Tensor, Tensor>;
using NLLLoss = Loss<nll_loss, ClassLossOptions, Tensor, Tensor>;
using MSELoss = Loss<mse_loss, LossOptions, Tensor, Tensor>;
using L1Loss = Loss<l1_loss, LossOptions, Tensor, Tensor>;
using SmoothL1Loss = Loss<smooth_l1_loss, SmoothL1LossOptions, Tensor, Tensor>;
using HuberLoss = Loss<huber_loss, HuberLossOptions, Tensor, Tensor>;
using BCELoss = Loss<binary_cross_entropy, BCELossOptions, Tensor, Tensor>;
/// One function of its overloads: nvcc passes no other on as a template's argument.
inline Tensor bce_with_logits_loss(const Tensor& logits, const Tensor& target, const Tensor& weight,
                                   Reduction reduction, const Tensor& pos_weight) {
  return binary_cross_entropy_with_logits(logits, target, weight, reduction, pos_weight);
}
using BCEWithLogitsLoss = Loss<bce_with_logits_loss, BCEWithLogitsLossOptions, Tensor, Tensor>;
using KLDivLoss = Loss<kl_div, KLDivLossOptions, Tensor, Tensor>;
using GaussianNLLLoss = Loss<gaussian_nll_loss, GaussianNLLLossOptions, Tensor, Tensor, Tensor>;
using PoissonNLLLoss = Loss<poisson_nll_loss, PoissonNLLLossOptions, Tensor, Tensor>;

struct CTCLossOptions {
  int64_t blank = 0;
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;
};

/// ctc_loss with its options.
///
/// Shapes, Dtypes, Throws: as ctc_loss.
/// PyTorch: torch.nn.CTCLoss.
class CTCLoss {
 public:
  explicit CTCLoss(CTCLossOptions options = {}) : options_(options) {}
  /// Lengths: std::vector<int64_t> or integer tensors, both of one kind.
  template <class Lengths = std::vector<int64_t>>
  Tensor operator()(const Tensor& log_probs, const Tensor& targets, const Lengths& input_lengths,
                    const Lengths& target_lengths) const {
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, options_.blank, options_.reduction,
                    options_.zero_infinity);
  }

 private:
  CTCLossOptions options_;
};

struct HingeEmbeddingLossOptions {
  double margin = 1;
  Reduction reduction = Reduction::mean;
};

/// Of CosineEmbeddingLoss and MarginRankingLoss.
struct MarginLossOptions {
  double margin = 0;
  Reduction reduction = Reduction::mean;
};

struct MultiMarginLossOptions {
  int64_t p = 1;
  double margin = 1;
  Tensor weight = {};  ///< per class
  Reduction reduction = Reduction::mean;
};

using MultiLabelSoftMarginLossOptions = BCELossOptions;

struct TripletMarginLossOptions {
  double margin = 1;
  double p = 2;
  double eps = 1e-6;
  bool swap = false;
  Reduction reduction = Reduction::mean;
};

/// Losses of pairs, triplets and margins, each the function of its name: `hinge_embedding_loss` and so on.
using HingeEmbeddingLoss = Loss<hinge_embedding_loss, HingeEmbeddingLossOptions, Tensor, Tensor>;
using CosineEmbeddingLoss = Loss<cosine_embedding_loss, MarginLossOptions, Tensor, Tensor, Tensor>;
using MarginRankingLoss = Loss<margin_ranking_loss, MarginLossOptions, Tensor, Tensor, Tensor>;
using SoftMarginLoss = Loss<soft_margin_loss, LossOptions, Tensor, Tensor>;
using MultiMarginLoss = Loss<multi_margin_loss, MultiMarginLossOptions, Tensor, Tensor>;
using MultiLabelMarginLoss = Loss<multilabel_margin_loss, LossOptions, Tensor, Tensor>;
using MultiLabelSoftMarginLoss = Loss<multilabel_soft_margin_loss, MultiLabelSoftMarginLossOptions, Tensor, Tensor>;
using TripletMarginLoss = Loss<triplet_margin_loss, TripletMarginLossOptions, Tensor, Tensor, Tensor>;

}  // namespace ordo::nn
