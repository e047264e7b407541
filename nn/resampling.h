// Images of another size, and pixels moved between space and channels:
//   Upsample           as interpolate: one of size and scale_factor is given
//   PixelShuffle       [..., C r r, H, W] -> [..., C, H r, W r]
//   PixelUnshuffle     [..., C, H r, W r] -> [..., C r r, H, W]
//   ChannelShuffle     [..., g c, H, W]: channel i c + j becomes j g + i
//   Unfold, Fold       the windows of images as columns, and back, as unfold and fold
//
//   nn::Sequential model{nn::Upsample({.scale_factor = {2}, .mode = InterpolateMode::bilinear}), nn::Conv2d(8, 8, 3)};
#pragma once

#include <optional>
#include <vector>

#include <ordo/autograd/ops/convolution.h>
#include <ordo/autograd/ops/resampling.h>
#include <ordo/autograd/ops/shapes.h>
#include <ordo/nn/description.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct UpsampleOptions {
  Dims size = {};                         ///< one number for all dimensions, or one for each
  std::vector<double> scale_factor = {};  ///< likewise
  InterpolateMode mode = InterpolateMode::nearest;
  std::optional<bool> align_corners = {};
  bool recompute_scale_factor = false;
};

class Upsample : public Module {
 public:
  explicit Upsample(UpsampleOptions options) : options_(std::move(options)) {}
  Tensor forward(const Tensor& input) override {
    return interpolate(input, options_.size, options_.scale_factor, options_.mode, options_.align_corners,
                       options_.recompute_scale_factor);
  }
  std::string description() const override;

 private:
  UpsampleOptions options_;
};

class PixelShuffle : public Module {
 public:
  explicit PixelShuffle(int64_t upscale_factor) : factor_(upscale_factor) {}
  Tensor forward(const Tensor& input) override { return pixel_shuffle(input, factor_); }
  std::string description() const override { return Description("PixelShuffle", factor_); }

 private:
  int64_t factor_;
};

class PixelUnshuffle : public Module {
 public:
  explicit PixelUnshuffle(int64_t downscale_factor) : factor_(downscale_factor) {}
  Tensor forward(const Tensor& input) override { return pixel_unshuffle(input, factor_); }
  std::string description() const override { return Description("PixelUnshuffle", factor_); }

 private:
  int64_t factor_;
};

class ChannelShuffle : public Module {
 public:
  explicit ChannelShuffle(int64_t groups) : groups_(groups) {}
  /// ShapeError below three dimensions or unless the groups divide the channels.
  Tensor forward(const Tensor& input) override;
  std::string description() const override { return Description("ChannelShuffle", groups_); }

 private:
  int64_t groups_;
};

struct UnfoldOptions {
  Size2 dilation = 1;
  Size2 padding = 0;
  Size2 stride = 1;
};

class Unfold : public Module {
 public:
  explicit Unfold(Size2 kernel, UnfoldOptions options = {}) : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input) override {
    return unfold(input, kernel_, options_.dilation, options_.padding, options_.stride);
  }
  std::string description() const override {
    return Description("Unfold", kernel_).with_options(options_, "dilation", "padding", "stride");
  }

 private:
  Size2 kernel_;
  UnfoldOptions options_;
};

class Fold : public Module {
 public:
  Fold(Size2 output_size, Size2 kernel, UnfoldOptions options = {})
      : output_size_(output_size), kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input) override {
    return fold(input, output_size_, kernel_, options_.dilation, options_.padding, options_.stride);
  }
  std::string description() const override {
    return Description("Fold", output_size_, kernel_).with_options(options_, "dilation", "padding", "stride");
  }

 private:
  Size2 output_size_, kernel_;
  UnfoldOptions options_;
};

}  // namespace ordo::nn
