#include <ordo/nn/distance.h>

#include <ordo/nn/description.h>

namespace ordo::nn {

std::string CosineSimilarity::description() const {
  return Description("CosineSimilarity").with("dim", options_.dim, 1).with("eps", options_.eps, 1e-8);
}

std::string PairwiseDistance::description() const {
  return Description("PairwiseDistance")
      .with("p", options_.p, 2)
      .with("eps", options_.eps, 1e-6)
      .with("keepdim", options_.keepdim, false);
}

}  // namespace ordo::nn
