#include <ordo/nn/roi.h>

#include <ordo/nn/description.h>

namespace ordo::nn {

std::string RoIAlign::description() const {
  return Description("RoIAlign", output_size_)
      .with("spatial_scale", options_.spatial_scale, 1)
      .with("sampling_ratio", options_.sampling_ratio, -1)
      .with("aligned", options_.aligned, false);
}

std::string RoIPool::description() const {
  return Description("RoIPool", output_size_).with("spatial_scale", options_.spatial_scale, 1);
}

}  // namespace ordo::nn
