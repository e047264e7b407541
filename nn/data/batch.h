// What a loader delivers. A batch of a set whose samples are pairs is taken apart like one:
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

/// The tensors of some samples.
///
/// Throws: ValueError when one of other than two tensors is taken apart as a pair.
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

/// Tensor k is the samples' tensors k, one after another.
///
/// Shapes: [samples, ...].
/// Throws: ValueError when samples have different numbers of tensors, or there are none; ShapeError, DTypeError,
/// DeviceError when tensors differ from those of the first sample.
/// PyTorch: torch.utils.data.default_collate.
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
