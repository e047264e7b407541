#include <ordo/nn/layers/distance.h>

namespace ordo::nn {

std::string CosineSimilarity::description() const {
  return Description("CosineSimilarity").with_options(options_, "dim", "eps");
}

std::string PairwiseDistance::description() const {
  return Description("PairwiseDistance").with_options(options_, "p", "eps", "keepdim");
}

}  // namespace ordo::nn
