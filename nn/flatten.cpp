#include <ordo/nn/flatten.h>

#include <ordo/nn/description.h>

namespace ordo::nn {

std::string Flatten::description() const {
  return Description("Flatten").with("start_dim", options_.start_dim, 1).with("end_dim", options_.end_dim, -1);
}

std::string Unflatten::description() const { return Description("Unflatten", dim_, sizes_); }

}  // namespace ordo::nn
