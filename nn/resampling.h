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
#include <ordo/nn/layer.h>

namespace ordo::detail {

Tensor channel_shuffle(const Tensor& input, int64_t groups);

}  // namespace ordo::detail

namespace ordo::nn {

struct UpsampleOptions {
  Dims size = {};                         ///< one number for all dimensions, or one for each
  std::vector<double> scale_factor = {};  ///< likewise
  InterpolateMode mode = InterpolateMode::nearest;
  std::optional<bool> align_corners = {};
  bool recompute_scale_factor = false;
};

class Upsample : public Layer<interpolate, UpsampleOptions> {
 public:
  explicit Upsample(UpsampleOptions options) : Layer(std::move(options)) {}
  std::string description() const override;
};

class PixelShuffle : public Layer<pixel_shuffle, NoOptions, int64_t> {
 public:
  explicit PixelShuffle(int64_t upscale_factor) : Layer(upscale_factor) {}
};

class PixelUnshuffle : public Layer<pixel_unshuffle, NoOptions, int64_t> {
 public:
  explicit PixelUnshuffle(int64_t downscale_factor) : Layer(downscale_factor) {}
};

/// ShapeError below three dimensions or unless the groups divide the channels.
class ChannelShuffle : public Layer<detail::channel_shuffle, NoOptions, int64_t> {
 public:
  explicit ChannelShuffle(int64_t groups) : Layer(groups) {}
};

struct UnfoldOptions {
  Size2 dilation = 1;
  Size2 padding = 0;
  Size2 stride = 1;
};

class Unfold : public Layer<unfold, UnfoldOptions, Size2> {
 public:
  explicit Unfold(Size2 kernel, UnfoldOptions options = {}) : Layer(kernel, options) {}
  std::string description() const override { return describe("Unfold", "dilation", "padding", "stride"); }
};

class Fold : public Layer<fold, UnfoldOptions, Size2, Size2> {
 public:
  Fold(Size2 output_size, Size2 kernel, UnfoldOptions options = {}) : Layer(output_size, kernel, options) {}
  std::string description() const override { return describe("Fold", "dilation", "padding", "stride"); }
};

}  // namespace ordo::nn
