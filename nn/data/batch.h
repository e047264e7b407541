// Batch: what a loader delivers. Of a set whose samples are pairs it is taken apart like one:
//
//   for (auto [images, labels] : loader) ...
//   for (const data::Batch& batch : loader) f(batch[0], batch[1], batch[2]);
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include <ordo/nn/data/dataset.h>

namespace ordo::data {

struct Batch {
  TensorList tensors;

  int64_t size() const { return (*this)[0].size(0); }  ///< rows of the first tensor
  const Tensor& operator[](int64_t k) const;           ///< IndexError when there is no tensor k
  template <std::size_t k>
  Tensor get() const {
    return pair_element(k);
  }

 private:
  const Tensor& pair_element(std::size_t k) const;  // ValueError unless there are two tensors
};

/// A batch's tensors, of its samples in their order.
using Collate = std::function<TensorList(const std::vector<Sample>&)>;

/// Tensor k is [samples, ...]: the samples' tensors k, one after another. ValueError for samples of different numbers
/// of tensors, ShapeError, DTypeError or DeviceError for tensors that differ from those of the first sample.
TensorList stack_samples(const std::vector<Sample>& samples);

/// Rows of a contiguous tensor, copied.
Tensor take_rows(const Tensor& t, const int64_t* rows, int64_t count);

}  // namespace ordo::data

template <>
struct std::tuple_size<ordo::data::Batch> : std::integral_constant<std::size_t, 2> {};
template <std::size_t k>
struct std::tuple_element<k, ordo::data::Batch> {
  using type = ordo::Tensor;
};
