// Losses of margins, as objects that keep their options; each calls the function of its name, HingeEmbeddingLoss
// `hinge_embedding_loss`, as those of losses.h do.
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

using HingeEmbeddingLoss = Loss<hinge_embedding_loss, HingeEmbeddingLossOptions, Tensor, Tensor>;
using CosineEmbeddingLoss = Loss<cosine_embedding_loss, MarginLossOptions, Tensor, Tensor, Tensor>;
using MarginRankingLoss = Loss<margin_ranking_loss, MarginLossOptions, Tensor, Tensor, Tensor>;
using SoftMarginLoss = Loss<soft_margin_loss, LossOptions, Tensor, Tensor>;
using MultiMarginLoss = Loss<multi_margin_loss, MultiMarginLossOptions, Tensor, Tensor>;
using MultiLabelMarginLoss = Loss<multilabel_margin_loss, LossOptions, Tensor, Tensor>;
using MultiLabelSoftMarginLoss = Loss<multilabel_soft_margin_loss, MultiLabelSoftMarginLossOptions, Tensor, Tensor>;
using TripletMarginLoss = Loss<triplet_margin_loss, TripletMarginLossOptions, Tensor, Tensor, Tensor>;

}  // namespace ordo::nn
