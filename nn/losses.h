// Losses as objects that keep their options. Each calls the function of its name: CrossEntropyLoss `cross_entropy`,
// BCELoss `binary_cross_entropy`. Those of margins are in margin_losses.h.
//
//   nn::CrossEntropyLoss criterion({.label_smoothing = 0.1});
//   criterion(model(images), labels).backward();
#pragma once

#include <ordo/autograd/ops/losses.h>

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

/// `cross_entropy` with its options.
class CrossEntropyLoss {
 public:
  explicit CrossEntropyLoss(CrossEntropyLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& logits, const Tensor& target) const {
    return cross_entropy(logits, target, options_.weight, options_.ignore_index, options_.reduction,
                         options_.label_smoothing);
  }

 private:
  CrossEntropyLossOptions options_;
};

/// `nll_loss` with its options.
class NLLLoss {
 public:
  explicit NLLLoss(ClassLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& log_probabilities, const Tensor& target) const {
    return nll_loss(log_probabilities, target, options_.weight, options_.ignore_index, options_.reduction);
  }

 private:
  ClassLossOptions options_;
};

/// `mse_loss` with its options.
class MSELoss {
 public:
  explicit MSELoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return mse_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

/// `l1_loss` with its options.
class L1Loss {
 public:
  explicit L1Loss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return l1_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

/// `smooth_l1_loss` with its options.
class SmoothL1Loss {
 public:
  explicit SmoothL1Loss(SmoothL1LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return smooth_l1_loss(input, target, options_.reduction, options_.beta);
  }

 private:
  SmoothL1LossOptions options_;
};

/// `huber_loss` with its options.
class HuberLoss {
 public:
  explicit HuberLoss(HuberLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return huber_loss(input, target, options_.reduction, options_.delta);
  }

 private:
  HuberLossOptions options_;
};

/// `binary_cross_entropy` with its options.
class BCELoss {
 public:
  explicit BCELoss(BCELossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return binary_cross_entropy(input, target, options_.weight, options_.reduction);
  }

 private:
  BCELossOptions options_;
};

/// `binary_cross_entropy_with_logits` with its options.
class BCEWithLogitsLoss {
 public:
  explicit BCEWithLogitsLoss(BCEWithLogitsLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& logits, const Tensor& target) const {
    return binary_cross_entropy_with_logits(logits, target, options_.weight, options_.reduction, options_.pos_weight);
  }

 private:
  BCEWithLogitsLossOptions options_;
};

/// `kl_div` with its options.
class KLDivLoss {
 public:
  explicit KLDivLoss(KLDivLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return kl_div(input, target, options_.reduction, options_.log_target);
  }

 private:
  KLDivLossOptions options_;
};

/// `gaussian_nll_loss` with its options.
class GaussianNLLLoss {
 public:
  explicit GaussianNLLLoss(GaussianNLLLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target, const Tensor& var) const {
    return gaussian_nll_loss(input, target, var, options_.full, options_.eps, options_.reduction);
  }

 private:
  GaussianNLLLossOptions options_;
};

/// `poisson_nll_loss` with its options.
class PoissonNLLLoss {
 public:
  explicit PoissonNLLLoss(PoissonNLLLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return poisson_nll_loss(input, target, options_.log_input, options_.full, options_.eps, options_.reduction);
  }

 private:
  PoissonNLLLossOptions options_;
};

struct CTCLossOptions {
  int64_t blank = 0;
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;
};

/// `ctc_loss` with its options.
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

}  // namespace ordo::nn
