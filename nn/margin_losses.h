// Losses of margins, as objects that keep their options; each calls the function of its name, HingeEmbeddingLoss
// `hinge_embedding_loss`.
//
//   nn::TripletMarginLoss criterion({.margin = 0.5});
//   criterion(model(anchor), model(positive), model(negative)).backward();
#pragma once

#include <ordo/autograd/ops/losses.h>
#include <ordo/nn/losses.h>

namespace ordo::nn {

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

struct MultiLabelSoftMarginLossOptions {
  Tensor weight = {};  ///< broadcasts to the input's sizes
  Reduction reduction = Reduction::mean;
};

struct TripletMarginLossOptions {
  double margin = 1;
  double p = 2;
  double eps = 1e-6;
  bool swap = false;
  Reduction reduction = Reduction::mean;
};

/// `hinge_embedding_loss` with its options.
class HingeEmbeddingLoss {
 public:
  explicit HingeEmbeddingLoss(HingeEmbeddingLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return hinge_embedding_loss(input, target, options_.margin, options_.reduction);
  }

 private:
  HingeEmbeddingLossOptions options_;
};

/// `cosine_embedding_loss` with its options.
class CosineEmbeddingLoss {
 public:
  explicit CosineEmbeddingLoss(MarginLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input1, const Tensor& input2, const Tensor& target) const {
    return cosine_embedding_loss(input1, input2, target, options_.margin, options_.reduction);
  }

 private:
  MarginLossOptions options_;
};

/// `margin_ranking_loss` with its options.
class MarginRankingLoss {
 public:
  explicit MarginRankingLoss(MarginLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input1, const Tensor& input2, const Tensor& target) const {
    return margin_ranking_loss(input1, input2, target, options_.margin, options_.reduction);
  }

 private:
  MarginLossOptions options_;
};

/// `soft_margin_loss` with its options.
class SoftMarginLoss {
 public:
  explicit SoftMarginLoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return soft_margin_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

/// `multi_margin_loss` with its options.
class MultiMarginLoss {
 public:
  explicit MultiMarginLoss(MultiMarginLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return multi_margin_loss(input, target, options_.p, options_.margin, options_.weight, options_.reduction);
  }

 private:
  MultiMarginLossOptions options_;
};

/// `multilabel_margin_loss` with its options.
class MultiLabelMarginLoss {
 public:
  explicit MultiLabelMarginLoss(LossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return multilabel_margin_loss(input, target, options_.reduction);
  }

 private:
  LossOptions options_;
};

/// `multilabel_soft_margin_loss` with its options.
class MultiLabelSoftMarginLoss {
 public:
  explicit MultiLabelSoftMarginLoss(MultiLabelSoftMarginLossOptions options = {}) : options_(std::move(options)) {}
  Tensor operator()(const Tensor& input, const Tensor& target) const {
    return multilabel_soft_margin_loss(input, target, options_.weight, options_.reduction);
  }

 private:
  MultiLabelSoftMarginLossOptions options_;
};

/// `triplet_margin_loss` with its options.
class TripletMarginLoss {
 public:
  explicit TripletMarginLoss(TripletMarginLossOptions options = {}) : options_(options) {}
  Tensor operator()(const Tensor& anchor, const Tensor& positive, const Tensor& negative) const {
    return triplet_margin_loss(anchor, positive, negative, options_.margin, options_.p, options_.eps, options_.swap,
                               options_.reduction);
  }

 private:
  TripletMarginLossOptions options_;
};

}  // namespace ordo::nn
