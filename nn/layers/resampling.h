// Images of another size, padding, regions of images, and elements moved between dimensions, as modules.
//
//   nn::Sequential model{nn::Upsample({.scale_factor = {2}, .mode = InterpolateMode::bilinear}), nn::Conv2d(8, 8, 3)};
//   nn::Sequential model{nn::ReflectionPad2d({1, 1, 2, 0}), nn::Conv2d(3, 8, 3)};   // H + 2, W + 2
//   nn::Flatten()(images)   // [N, 16, 7, 7] -> [N, 784]
//   nn::RoIAlign crop(7, {.spatial_scale = 0.25, .sampling_ratio = 2});
//   Tensor regions = crop(features, boxes);   // [N, C, H, W], [K, 5] or a list of N [L, 4] -> [K, C, 7, 7]
#pragma once

#include <concepts>
#include <vector>

#include <ordo/autograd/ops/functional/convolution.h>
#include <ordo/autograd/ops/functional/resampling.h>
#include <ordo/autograd/ops/shape/shapes.h>
#include <ordo/nn/layers/layer.h>

namespace ordo::nn {

using UpsampleOptions = InterpolateOptions;

/// interpolate: one of size and scale_factor is given.
///
/// Shapes, Dtypes, Throws: forward as interpolate.
/// PyTorch: torch.nn.Upsample.
struct Upsample : Layer {
  explicit Upsample(UpsampleOptions options);
};

/// The widths of a pad: one number for all sides, or {left, right, top, bottom, front, back}, the last dimension first.
template <int N>
struct PadWidths : std::vector<int64_t> {
  PadWidths(int64_t all) : std::vector<int64_t>(2 * N, all) {}
  template <std::integral... I>
  requires(sizeof...(I) == 2 * N) PadWidths(I... each) : std::vector<int64_t>{int64_t(each)...} {}
};

/// pad of the last N dimensions with a number.
///
/// Shapes, Dtypes, Throws: as pad.
/// PyTorch: torch.nn.ConstantPad1d, 2d, 3d.
template <int N>
struct ConstantPad : Layer {
  ConstantPad(PadWidths<N> padding, double value);
};
using ConstantPad1d = ConstantPad<1>;
using ConstantPad2d = ConstantPad<2>;
using ConstantPad3d = ConstantPad<3>;

/// pad of the last N dimensions: with zeros (ZeroPad), the input mirrored at its border cells (ReflectionPad), those
/// cells again (ReplicationPad), or the input's other end (CircularPad).
///
/// Shapes, Dtypes, Throws: as pad.
/// PyTorch: torch.nn.ZeroPad2d, torch.nn.ReflectionPad2d and so on.
template <int N, PadMode kMode>
struct Pad : Layer {
  explicit Pad(PadWidths<N> padding);
};
using ZeroPad1d = Pad<1, PadMode::constant>;
using ZeroPad2d = Pad<2, PadMode::constant>;
using ZeroPad3d = Pad<3, PadMode::constant>;
using ReflectionPad1d = Pad<1, PadMode::reflect>;
using ReflectionPad2d = Pad<2, PadMode::reflect>;
using ReflectionPad3d = Pad<3, PadMode::reflect>;
using ReplicationPad1d = Pad<1, PadMode::replicate>;
using ReplicationPad2d = Pad<2, PadMode::replicate>;
using ReplicationPad3d = Pad<3, PadMode::replicate>;
using CircularPad1d = Pad<1, PadMode::circular>;
using CircularPad2d = Pad<2, PadMode::circular>;
using CircularPad3d = Pad<3, PadMode::circular>;

struct RoIAlignOptions {
  double spatial_scale = 1;
  int64_t sampling_ratio = -1;
  bool aligned = false;
};

/// Regions of images at one size, averaged: roi_align.
///
/// Shapes: input [N, C, H, W], boxes [K, 5] or a list of N [L, 4]; y [K, C, output_size].
/// Dtypes, Throws: as roi_align.
/// PyTorch: torchvision.ops.RoIAlign.
class RoIAlign : public ModuleOf<RoIAlign> {
 public:
  explicit RoIAlign(Size2 output_size, RoIAlignOptions options = {}) : output_size_(output_size), options_(options) {}
  template <class Boxes>  // Tensor or TensorList
  Tensor forward(const Tensor& input, const Boxes& boxes) {
    return roi_align(input, boxes, output_size_, options_.spatial_scale, options_.sampling_ratio, options_.aligned);
  }
  std::string description() const override;

 private:
  Size2 output_size_;
  RoIAlignOptions options_;
};

struct RoIPoolOptions {
  double spatial_scale = 1;
};

/// Regions of images at one size, of maxima: roi_pool.
///
/// Shapes: as RoIAlign.
/// Dtypes, Throws: as roi_pool.
/// PyTorch: torchvision.ops.RoIPool.
class RoIPool : public ModuleOf<RoIPool> {
 public:
  explicit RoIPool(Size2 output_size, RoIPoolOptions options = {}) : output_size_(output_size), options_(options) {}
  template <class Boxes>  // Tensor or TensorList
  Tensor forward(const Tensor& input, const Boxes& boxes) {
    return roi_pool(input, boxes, output_size_, options_.spatial_scale);
  }
  std::string description() const override;

 private:
  Size2 output_size_;
  RoIPoolOptions options_;
};

struct FlattenOptions {
  int64_t start_dim = 1;
  int64_t end_dim = -1;
};

/// Merges dimensions start_dim to end_dim into one; by default all but the first, the batch.
///
/// Dtypes, Throws: as Tensor::flatten.
/// PyTorch: torch.nn.Flatten.
struct Flatten : Layer {
  explicit Flatten(FlattenOptions options = {});
};

/// Splits dimension dim into several.
///
/// Dtypes, Throws: as unflatten.
/// PyTorch: torch.nn.Unflatten.
struct Unflatten : Layer {
  Unflatten(int64_t dim, Dims unflattened_size);
};

/// Channels become pixels: pixel_shuffle by r = upscale_factor.
///
/// Shapes: [..., C r r, H, W] to [..., C, H r, W r].
/// Dtypes, Throws: as pixel_shuffle.
/// PyTorch: torch.nn.PixelShuffle.
struct PixelShuffle : Layer {
  explicit PixelShuffle(int64_t upscale_factor);
};

/// Pixels become channels: pixel_unshuffle by r = downscale_factor.
///
/// Shapes: [..., C, H r, W r] to [..., C r r, H, W].
/// Dtypes, Throws: as pixel_unshuffle.
/// PyTorch: torch.nn.PixelUnshuffle.
struct PixelUnshuffle : Layer {
  explicit PixelUnshuffle(int64_t downscale_factor);
};

/// Channel i c + j becomes channel j g + i, g = groups.
///
/// Shapes: [..., g c, H, W].
/// Throws: ShapeError when there are fewer than three dimensions, or the groups do not divide the channels.
/// PyTorch: torch.nn.ChannelShuffle.
struct ChannelShuffle : Layer {
  explicit ChannelShuffle(int64_t groups);
};

using ordo::UnfoldOptions;

/// The windows of images as columns: unfold.
///
/// Shapes, Dtypes, Throws: as unfold.
/// PyTorch: torch.nn.Unfold.
struct Unfold : Layer {
  explicit Unfold(Size2 kernel, UnfoldOptions options = {});
};

/// Columns added up to the images whose windows they are: fold.
///
/// Shapes, Dtypes, Throws: as fold.
/// PyTorch: torch.nn.Fold.
struct Fold : Layer {
  Fold(Size2 output_size, Size2 kernel, UnfoldOptions options = {});
};

}  // namespace ordo::nn
