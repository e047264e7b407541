// Losses as objects that keep their options.
//
//   nn::CrossEntropyLoss criterion({.label_smoothing = 0.1});
//   criterion(model(images), labels).backward();
#pragma once

#include <concepts>
#include <utility>

#include <ordo/autograd/ops/functional/losses.h>

namespace ordo::nn {

using ordo::BCELossOptions, ordo::BCEWithLogitsLossOptions, ordo::ClassLossOptions, ordo::CrossEntropyLossOptions,
    ordo::CTCLossOptions, ordo::GaussianNLLLossOptions, ordo::HingeEmbeddingLossOptions, ordo::HuberLossOptions,
    ordo::KLDivLossOptions, ordo::MarginLossOptions, ordo::MultiMarginLossOptions, ordo::PoissonNLLLossOptions,
    ordo::SmoothL1LossOptions, ordo::TripletMarginLossOptions;

struct LossOptions {
  Reduction reduction = Reduction::mean;
};

/// `function` of the tensors and the options: CrossEntropyLoss calls cross_entropy, BCELoss binary_cross_entropy.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.CrossEntropyLoss and so on.
template <auto function, class Options, class... Inputs>
class Loss {
 public:
  explicit Loss(Options options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Inputs&... inputs) const {
    if constexpr (std::same_as<Options, LossOptions>)
      return function(inputs..., options_.reduction);
    else
      return function(inputs..., options_);
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
using BCEWithLogitsLoss = Loss<binary_cross_entropy_with_logits, BCEWithLogitsLossOptions, Tensor, Tensor>;
using KLDivLoss = Loss<kl_div, KLDivLossOptions, Tensor, Tensor>;
using GaussianNLLLoss = Loss<gaussian_nll_loss, GaussianNLLLossOptions, Tensor, Tensor, Tensor>;
using PoissonNLLLoss = Loss<poisson_nll_loss, PoissonNLLLossOptions, Tensor, Tensor>;

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
    return ctc_loss(log_probs, targets, input_lengths, target_lengths, options_);
  }

 private:
  CTCLossOptions options_;
};

using MultiLabelSoftMarginLossOptions = BCELossOptions;

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
