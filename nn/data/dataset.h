// Samples by number.
//
//   struct Squares : data::Dataset {
//     int64_t size() const override { return 100; }
//     data::Sample get(int64_t i) const override { return {full({1}, double(i)), full({1}, double(i * i))}; }
//   };
//   data::DataLoader loader(Squares(), {.batch_size = 10, .workers = 2});
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::data {

/// Any number of tensors: an image and its label, a sentence and its next words.
using Sample = TensorList;

/// What all sets are. A loader with workers calls get() from several threads at a time.
///
/// PyTorch: torch.utils.data.Dataset.
class Dataset {
 public:
  virtual ~Dataset() = default;
  virtual int64_t size() const = 0;
  /// Sample i of 0 .. size() - 1, in CPU memory where a loader has workers. Must return the same bits at every call and
  /// on every thread.
  virtual Sample get(int64_t i) const = 0;
  /// The sample as it is in epoch 0, 1, ... Sets that draw random numbers for their samples override it, and sets made
  /// of other sets pass it on.
  virtual Sample get_in_epoch(int64_t i, int64_t /*epoch*/) const { return get(i); }
  /// Where sample i is row i of tensors, these tensors: loaders then copy rows and do not call get(). Else empty.
  virtual TensorList rows() const { return {}; }
};

/// For get().
///
/// Throws: IndexError naming `op` unless 0 <= i < size.
void expect_sample(const char* op, int64_t i, int64_t size);

/// Sample i is row i of each tensor, as a view.
///
/// Throws: ValueError when there are no tensors; ShapeError when they have different numbers of rows; get(), IndexError
/// when there is no sample i.
/// PyTorch: torch.utils.data.TensorDataset.
class TensorDataset : public Dataset {
 public:
  explicit TensorDataset(TensorList tensors);
  int64_t size() const override { return tensors_[0].size(0); }
  Sample get(int64_t i) const override;
  TensorList rows() const override { return tensors_; }

 private:
  TensorList tensors_;
};

/// Images and their labels in memory, what the readers return. Both may be replaced.
///
/// Throws: get(), IndexError when there is no sample i.
struct ImageDataset : Dataset {
  ImageDataset() = default;
  ImageDataset(Tensor images_, Tensor labels_) : images(std::move(images_)), labels(std::move(labels_)) {}
  Tensor images;  ///< float32 [N, C, H, W], values in [0, 1]
  Tensor labels;  ///< int64 [N]
  int64_t size() const override { return labels.size(0); }
  Sample get(int64_t i) const override;  ///< views
  TensorList rows() const override { return {images, labels}; }
};

/// (x - mean) / std; one mean and std for all channels or one each.
///
/// Shapes, Dtypes: images [N, C, H, W] of float32 in CPU memory.
/// Throws: ShapeError, DTypeError, DeviceError for other images; ValueError for another number of means or deviations,
/// or a deviation that is not above 0.
/// PyTorch: torchvision.transforms.functional.normalize.
Tensor normalize(const Tensor& images, const std::vector<double>& mean, const std::vector<double>& std);

}  // namespace ordo::data
