// Regions of images at one size: RoIAlign and RoIPool, called as layer(input, boxes), as roi_align and roi_pool.
//
//   nn::RoIAlign crop(7, {.spatial_scale = 0.25, .sampling_ratio = 2});
//   Tensor regions = crop(features, boxes);   // [N, C, H, W], [K, 5] or a list of N [L, 4] -> [K, C, 7, 7]
#pragma once

#include <ordo/autograd/ops/resampling.h>
#include <ordo/nn/description.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct RoIAlignOptions {
  double spatial_scale = 1;
  int64_t sampling_ratio = -1;
  bool aligned = false;
};

class RoIAlign : public ModuleOf<RoIAlign> {
 public:
  explicit RoIAlign(Size2 output_size, RoIAlignOptions options = {}) : output_size_(output_size), options_(options) {}
  template <class Boxes>  // Tensor or TensorList
  Tensor forward(const Tensor& input, const Boxes& boxes) {
    return roi_align(input, boxes, output_size_, options_.spatial_scale, options_.sampling_ratio, options_.aligned);
  }
  std::string description() const override {
    return Description("RoIAlign", output_size_).with_options(options_, "spatial_scale", "sampling_ratio", "aligned");
  }

 private:
  Size2 output_size_;
  RoIAlignOptions options_;
};

struct RoIPoolOptions {
  double spatial_scale = 1;
};

class RoIPool : public ModuleOf<RoIPool> {
 public:
  explicit RoIPool(Size2 output_size, RoIPoolOptions options = {}) : output_size_(output_size), options_(options) {}
  template <class Boxes>  // Tensor or TensorList
  Tensor forward(const Tensor& input, const Boxes& boxes) {
    return roi_pool(input, boxes, output_size_, options_.spatial_scale);
  }
  std::string description() const override {
    return Description("RoIPool", output_size_).with_options(options_, "spatial_scale");
  }

 private:
  Size2 output_size_;
  RoIPoolOptions options_;
};

}  // namespace ordo::nn
