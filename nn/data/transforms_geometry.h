// Crops, flips, resizing and rotation of images float32 [C, H, W]; see transforms.h.
#pragma once

#include <ordo/kernels/resampling/modes.h>
#include <ordo/nn/data/transforms.h>

namespace ordo::data {

/// Rows top .. top + height - 1 and columns left .. left + width - 1 of an image that is `fill` outside.
Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width, double fill = 0);

/// The image turned counterclockwise by `degrees` about its middle, in its size. Output pixel (y, x) is the bilinear
/// mean of the four pixels around the place it came from, which are `fill` outside: with dy and dx its distance from
/// the middle (H - 1) / 2, (W - 1) / 2, that place is dx sin + dy cos down and dx cos - dy sin right of the middle.
Tensor rotate(const Tensor& image, double degrees, double fill = 0);

struct RandomCropOptions {
  int64_t padding = 0;  ///< rows and columns of `fill` put around the image first
  double fill = 0;
};

/// A part of this size at any place. ShapeError when the padded image is smaller.
class RandomCrop : public Transform {
 public:
  RandomCrop(int64_t height, int64_t width, RandomCropOptions options = {});
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  int64_t height_, width_;
  RandomCropOptions options_;
};

/// The part of this size in the middle, from row floor((H - height) / 2); where the image is smaller, 0 around it.
class CenterCrop : public Transform {
 public:
  CenterCrop(int64_t height, int64_t width);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  int64_t height_, width_;
};

struct RandomResizedCropOptions {
  std::vector<double> scale = {0.08, 1.0};  ///< least and greatest part of the image's area
  std::vector<double> ratio = {3.0 / 4, 4.0 / 3};
};

/// A part of random area and ratio width / height, resized. Its area is uniform, its ratio's logarithm too; after ten
/// parts that were larger than the image it is the largest one in the middle whose ratio is allowed.
class RandomResizedCrop : public Transform {
 public:
  RandomResizedCrop(int64_t height, int64_t width, RandomResizedCropOptions options = {});
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  int64_t height_, width_;
  RandomResizedCropOptions options_;
};

/// Left and right, or top and bottom, exchanged with probability p.
template <bool kVertical>
class RandomFlip : public Transform {
 public:
  explicit RandomFlip(double p = 0.5);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  double p_;
};
using RandomHorizontalFlip = RandomFlip<false>;
using RandomVerticalFlip = RandomFlip<true>;

/// The image in another size, by interpolate() without align_corners. It does not smooth what it shrinks, mode area
/// does.
class Resize : public Transform {
 public:
  Resize(int64_t height, int64_t width, InterpolateMode mode = InterpolateMode::bilinear);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  int64_t height_, width_;
  InterpolateMode mode_;
};

/// rotate() by an angle that is uniform between -degrees and degrees.
class RandomRotation : public Transform {
 public:
  explicit RandomRotation(double degrees, double fill = 0);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  double degrees_, fill_;
};

}  // namespace ordo::data
