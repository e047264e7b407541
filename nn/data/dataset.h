// Dataset: images and their labels, in memory.
#pragma once

#include <vector>

#include <ordo/engine/tensor.h>

namespace ordo::data {

struct Dataset {
  Tensor images;  ///< float32 [N, C, H, W], values in [0, 1]
  Tensor labels;  ///< int64 [N]
  int64_t size() const { return labels.size(0); }
};

/// (x - mean) / std for images [N, C, H, W] of float32 in CPU memory; one mean and std for all channels or one each.
/// ShapeError or ValueError otherwise.
Tensor normalize(const Tensor& images, const std::vector<double>& mean, const std::vector<double>& std);

}  // namespace ordo::data
