// Losses as objects that keep their options; the functions they call are `cross_entropy`, `nll_loss`, `mse_loss`,
// `l1_loss`, `binary_cross_entropy_with_logits` and `ctc_loss`.
//
//   nn::CrossEntropyLoss criterion({.label_smoothing = 0.1});
//   criterion(model(images), labels).backward();
#pragma once

#include <ordo/autograd/ops/binary_cross_entropy_with_logits.h>
#include <ordo/autograd/ops/cross_entropy.h>
#include <ordo/autograd/ops/ctc_loss.h>
#include <ordo/autograd/ops/mse_loss.h>
#include <ordo/autograd/ops/nll_loss.h>

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

class NLLLoss {
 public:
  explicit NLLLoss(ClassLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& log_probabilities, const Tensor& target) const {
    return nll_loss(log_probabilities, target, options_.weight, options_.ignore_index, options_.reduction);
  }

 private:
  ClassLossOptions options_;
};

class MSELoss {
 public:
  explicit MSELoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return mse_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

class L1Loss {
 public:
  explicit L1Loss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return l1_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

class BCEWithLogitsLoss {
 public:
  explicit BCEWithLogitsLoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& logits, const Tensor& target) const {
    return binary_cross_entropy_with_logits(logits, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

struct CTCLossOptions {
  int64_t blank = 0;
  Reduction reduction = Reduction::mean;
  bool zero_infinity = false;
};

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
