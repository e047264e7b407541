// Dataset: samples by number. A sample is any number of tensors: an image and its label, a sentence and its next words.
//
//   struct Squares : data::Dataset {
//     int64_t size() const override { return 100; }
//     data::Sample get(int64_t i) const override { return {full({1}, double(i)), full({1}, double(i * i))}; }
//   };
//   data::DataLoader loader(Squares(), {.batch_size = 10, .workers = 2});
//
// A loader with workers calls get() from several threads at a time.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::data {

using Sample = TensorList;

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

/// IndexError naming `op` unless 0 <= i < size; for get().
void expect_sample(const char* op, int64_t i, int64_t size);

/// Sample i is row i of each tensor, as a view. ValueError for no tensors, ShapeError unless all have equally many
/// rows.
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
class ImageDataset : public Dataset {
 public:
  ImageDataset() = default;
  ImageDataset(Tensor images, Tensor labels) : images(std::move(images)), labels(std::move(labels)) {}
  Tensor images;  ///< float32 [N, C, H, W], values in [0, 1]
  Tensor labels;  ///< int64 [N]
  int64_t size() const override { return labels.size(0); }
  Sample get(int64_t i) const override;  ///< views
  TensorList rows() const override { return {images, labels}; }
};

/// (x - mean) / std for images [N, C, H, W] of float32 in CPU memory; one mean and std for all channels or one each.
/// ShapeError or ValueError otherwise.
Tensor normalize(const Tensor& images, const std::vector<double>& mean, const std::vector<double>& std);

}  // namespace ordo::data
