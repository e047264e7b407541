// How far two lists of vectors are apart.
//
//   Tensor cosines = nn::CosineSimilarity()(a, b);   // [N, D], [N, D] -> [N]
#pragma once

#include <ordo/autograd/ops/linalg/distance.h>
#include <ordo/nn/description.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct CosineSimilarityOptions {
  int64_t dim = 1;
  double eps = 1e-8;
};

/// cosine_similarity along `dim`.
///
/// Shapes: [N, D] and [N, D] to [N]; any others as cosine_similarity.
/// Throws: as cosine_similarity.
/// PyTorch: torch.nn.CosineSimilarity.
class CosineSimilarity : public ModuleOf<CosineSimilarity> {
 public:
  explicit CosineSimilarity(CosineSimilarityOptions options = {}) : options_(options) {}
  Tensor forward(const Tensor& x1, const Tensor& x2) { return cosine_similarity(x1, x2, options_.dim, options_.eps); }
  std::string description() const override;

 private:
  CosineSimilarityOptions options_;
};

struct PairwiseDistanceOptions {
  double p = 2;
  double eps = 1e-6;
  bool keepdim = false;
};

/// pairwise_distance along the last dimension.
///
/// Shapes: [N, D] and [N, D] to [N], with keepdim [N, 1]; any others as pairwise_distance.
/// Throws: as pairwise_distance.
/// PyTorch: torch.nn.PairwiseDistance.
class PairwiseDistance : public ModuleOf<PairwiseDistance> {
 public:
  explicit PairwiseDistance(PairwiseDistanceOptions options = {}) : options_(options) {}
  Tensor forward(const Tensor& x1, const Tensor& x2) {
    return pairwise_distance(x1, x2, options_.p, options_.eps, options_.keepdim);
  }
  std::string description() const override;

 private:
  PairwiseDistanceOptions options_;
};

}  // namespace ordo::nn
