// Random or fixed changes of a set's images.
//
//   const data::TransformedDataset augmented(
//       train, {data::RandomCrop(32, 32, {.padding = 4}), data::RandomHorizontalFlip(), data::Normalize({0.5}, {0.5})},
//       {.seed = 3});
//   data::DataLoader loader(augmented, {.batch_size = 64, .shuffle = true, .workers = 2});
//
// The transforms: those made of others, crops, flips, resizing and rotation, then colours and erased parts. Functions
// and transforms take images as Transform says, and throw for others as it does.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <ordo/kernels/resampling/modes.h>
#include <ordo/nn/data/dataset.h>
#include <ordo/nn/data/draws.h>
#include <ordo/nn/data/handle.h>

namespace ordo::data {

/// What all transforms are. A transform returns a new image.
///
/// Shapes, Dtypes: float32 [C, H, W] in CPU memory.
/// Throws: ShapeError, DTypeError, DeviceError for other images.
/// Determinism: the random numbers of transform k for sample i in epoch e depend on (seed, e, i, k) only, so neither
/// workers nor the order of samples change an image, and a loader that continues within an epoch gets the same ones.
class Transform {
 public:
  virtual ~Transform() = default;
  /// The changed image. Called by several threads at a time; random numbers come from `draws` only.
  virtual Tensor apply(const Tensor& image, Draws& draws) const = 0;
};

/// Transforms in the order in which they are applied.
using TransformList = std::vector<Handle<const Transform>>;

/// What the transforms below have in common: their constructors make a function. Internal.
class MadeTransform : public Transform {
 public:
  Tensor apply(const Tensor& image, Draws& draws) const override { return function_(image, draws); }

 protected:
  template <class F>
  void does(F function) {
    const ordo::detail::LibraryCall library;
    function_ = std::move(function);
  }

 private:
  std::function<Tensor(const Tensor&, Draws&)> function_;
};

/// One after another; transform k draws from draws.child(k).
///
/// Throws: ValueError for a null pointer.
/// PyTorch: torchvision.transforms.Compose.
struct Compose : MadeTransform {
  explicit Compose(TransformList transforms);
};

/// All of them with probability p, else none.
///
/// Throws: ValueError unless 0 <= p <= 1, and for a null pointer.
/// PyTorch: torchvision.transforms.RandomApply.
struct RandomApply : MadeTransform {
  explicit RandomApply(TransformList transforms, double p = 0.5);
};

/// One of them, each with the same probability.
///
/// Throws: ValueError when there are none, and for a null pointer.
/// PyTorch: torchvision.transforms.RandomChoice.
struct RandomChoice : MadeTransform {
  explicit RandomChoice(TransformList transforms);
};

struct TransformedDatasetOptions {
  uint64_t seed = 0;
  int64_t tensor = 0;  ///< the one of a sample that is transformed
};

/// The set with one tensor of each sample transformed. Sets over one another with the same seed and transforms change,
/// say, image and mask alike.
///
/// Throws: ValueError for a null pointer; IndexError when a sample has no such tensor; as the transforms.
class TransformedDataset : public Dataset {
 public:
  TransformedDataset(Handle<const Dataset> base, TransformList transforms, TransformedDatasetOptions options = {});
  int64_t size() const override { return base_->size(); }
  Sample get(int64_t i) const override { return get_in_epoch(i, 0); }
  Sample get_in_epoch(int64_t i, int64_t epoch) const override;

 private:
  Handle<const Dataset> base_;
  Compose transforms_;
  TransformedDatasetOptions options_;
};

/// Rows top .. top + height - 1 and columns left .. left + width - 1 of an image that is `fill` outside.
///
/// Throws: ValueError when a size is outside of 1 to 2^20, or the place is further than that from the image.
/// PyTorch: torchvision.transforms.functional.crop.
Tensor crop(const Tensor& image, int64_t top, int64_t left, int64_t height, int64_t width, double fill = 0);

/// The image turned counterclockwise by `degrees` about its middle, in its size. Output pixel (y, x) is the bilinear
/// mean of the four pixels around the place it came from, which are `fill` outside: with dy and dx its distance from
/// the middle (H - 1) / 2, (W - 1) / 2, that place is dx sin + dy cos down and dx cos - dy sin right of the middle.
///
/// Throws: ValueError when the angle is not finite.
/// PyTorch: torchvision.transforms.functional.rotate.
Tensor rotate(const Tensor& image, double degrees, double fill = 0);

struct RandomCropOptions {
  int64_t padding = 0;  ///< rows and columns of `fill` put around the image first
  double fill = 0;
};

/// A part of this size at any place.
///
/// Throws: ValueError when the size is outside of 1 to 2^20, or the padding of 0 to 2^20; ShapeError when the padded
/// image is smaller.
/// PyTorch: torchvision.transforms.RandomCrop.
struct RandomCrop : MadeTransform {
  RandomCrop(int64_t height, int64_t width, RandomCropOptions options = {});
};

/// The part of this size in the middle, from row floor((H - height) / 2); where the image is smaller, 0 around it.
///
/// Throws: ValueError when the size is outside of 1 to 2^20.
/// PyTorch: torchvision.transforms.CenterCrop.
struct CenterCrop : MadeTransform {
  CenterCrop(int64_t height, int64_t width);
};

struct RandomResizedCropOptions {
  std::vector<double> scale = {0.08, 1.0};  ///< least and greatest part of the image's area
  std::vector<double> ratio = {3.0 / 4, 4.0 / 3};
};

/// A part of random area and ratio width / height, resized. Its area is uniform, its ratio's logarithm too; after ten
/// parts that were larger than the image it is the largest one in the middle whose ratio is allowed.
///
/// Throws: ValueError when the size is outside of 1 to 2^20, or scale or ratio are not 0 < least <= greatest, scale up
/// to 1.
/// PyTorch: torchvision.transforms.RandomResizedCrop.
struct RandomResizedCrop : MadeTransform {
  RandomResizedCrop(int64_t height, int64_t width, RandomResizedCropOptions options = {});
};

/// Left and right, or top and bottom, exchanged with probability p.
///
/// Throws: ValueError unless 0 <= p <= 1.
/// PyTorch: torchvision.transforms.RandomHorizontalFlip, torchvision.transforms.RandomVerticalFlip.
template <bool kVertical>
struct RandomFlip : MadeTransform {
  explicit RandomFlip(double p = 0.5);
};
using RandomHorizontalFlip = RandomFlip<false>;
using RandomVerticalFlip = RandomFlip<true>;

/// The image in another size, by interpolate() without align_corners. It does not smooth what it shrinks, mode area
/// does.
///
/// Throws: ValueError when the size is outside of 1 to 2^20, or there is no such mode; else as interpolate.
/// PyTorch: torchvision.transforms.Resize without antialias.
struct Resize : MadeTransform {
  Resize(int64_t height, int64_t width, InterpolateMode mode = InterpolateMode::bilinear);
};

/// rotate() by an angle that is uniform between -degrees and degrees.
///
/// Throws: ValueError when degrees is negative or not finite.
/// PyTorch: torchvision.transforms.RandomRotation.
struct RandomRotation : MadeTransform {
  explicit RandomRotation(double degrees, double fill = 0);
};

/// Colours changed, of images with values in [0, 1], to which results are clamped:
///   brightness  factor x
///   contrast    factor x + (1 - factor) mean(gray), gray = 0.2989 red + 0.587 green + 0.114 blue, or the one channel
///   saturation  factor x + (1 - factor) gray; one channel stays as it is
///   hue         turned by `shift` circles in the HSV model; one channel stays as it is
///
/// Shapes: contrast, saturation and hue take one or three channels.
/// Throws: ValueError when a factor is negative or not finite, or the shift is outside of -0.5 to 0.5; ShapeError for
/// another number of channels.
/// PyTorch: torchvision.transforms.functional.adjust_brightness and so on.
Tensor adjust_brightness(const Tensor& image, double factor);
Tensor adjust_contrast(const Tensor& image, double factor);
Tensor adjust_saturation(const Tensor& image, double factor);
Tensor adjust_hue(const Tensor& image, double shift);

struct ColorJitterOptions {
  double brightness = 0, contrast = 0, saturation = 0;  ///< factors are uniform in [max(0, 1 - it), 1 + it]
  double hue = 0;                                       ///< the shift is uniform in [-it, it], at most 0.5
};

/// The four above, in random order. Those whose option is 0 are left out.
///
/// Throws: ValueError when an option is negative or not finite, or hue is above 0.5; else as the four.
/// PyTorch: torchvision.transforms.ColorJitter.
struct ColorJitter : MadeTransform {
  explicit ColorJitter(ColorJitterOptions options);
};

/// (x - mean) / std; one mean and std for all channels or one each.
///
/// Throws: ValueError when a deviation is not above 0, or their numbers are others.
/// PyTorch: torchvision.transforms.Normalize.
struct Normalize : MadeTransform {
  Normalize(std::vector<double> mean, std::vector<double> std);
};

struct RandomErasingOptions {
  double p = 0.5;
  std::vector<double> scale = {0.02, 0.33};  ///< least and greatest part of the image's area
  std::vector<double> ratio = {0.3, 3.3};    ///< width / height; its logarithm is uniform
  double value = 0;
};

/// With probability p, one rectangle is filled with `value`; the image stays as it is if ten drawn ones were larger.
///
/// Throws: ValueError unless 0 <= p <= 1, and as RandomResizedCrop for scale and ratio.
/// PyTorch: torchvision.transforms.RandomErasing.
struct RandomErasing : MadeTransform {
  explicit RandomErasing(RandomErasingOptions options = {});
};

}  // namespace ordo::data
