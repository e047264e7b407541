// Transforms: random or fixed changes of a set's images.
//
//   const data::TransformedDataset augmented(
//       train, {data::RandomCrop(32, 32, {.padding = 4}), data::RandomHorizontalFlip(), data::Normalize({0.5}, {0.5})},
//       {.seed = 3});
//   data::DataLoader loader(augmented, {.batch_size = 64, .shuffle = true, .workers = 2});
//
// Images are float32 [C, H, W] in CPU memory, and a transform returns a new one: ShapeError, DTypeError or DeviceError
// for others. The random numbers of transform k for sample i in epoch e depend on (seed, e, i, k) only, so neither
// workers nor the order of samples change an image, and a loader that continues within an epoch gets the same ones.
//
// The transforms: transforms_geometry.h, transforms_color.h, and those below, which are made of others.
#pragma once

#include <vector>

#include <ordo/nn/data/dataset.h>
#include <ordo/nn/data/draws.h>
#include <ordo/nn/data/handle.h>

namespace ordo::data {

/// What all transforms are.
class Transform {
 public:
  virtual ~Transform() = default;
  /// The changed image. Called by several threads at a time; random numbers come from `draws` only.
  virtual Tensor apply(const Tensor& image, Draws& draws) const = 0;
};

/// Transforms in the order in which they are applied.
using TransformList = std::vector<Handle<const Transform>>;

/// One after another; transform k draws from draws.child(k).
class Compose : public Transform {
 public:
  /// ValueError for a null pointer.
  explicit Compose(TransformList transforms);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  TransformList transforms_;
};

/// All of them with probability p, else none.
class RandomApply : public Transform {
 public:
  /// ValueError unless 0 <= p <= 1.
  explicit RandomApply(TransformList transforms, double p = 0.5);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  Compose all_;
  double p_;
};

/// One of them, each with the same probability.
class RandomChoice : public Transform {
 public:
  /// ValueError for an empty list or a null pointer.
  explicit RandomChoice(TransformList transforms);
  Tensor apply(const Tensor& image, Draws& draws) const override;

 private:
  TransformList transforms_;
};

struct TransformedDatasetOptions {
  uint64_t seed = 0;
  int64_t tensor = 0;  ///< the one of a sample that is transformed
};

/// The set with one tensor of each sample transformed. Sets over one another with the same seed and transforms change,
/// say, image and mask alike.
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

}  // namespace ordo::data
