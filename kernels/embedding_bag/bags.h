// Where bags begin and end. Internal; shared by both devices.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/accumulate/index_view.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

struct Bags {
  const int64_t* offsets;  // null: every bag has `length` items
  int64_t offset_count, length;
  int64_t bags, items;
  int64_t padding;  // row to leave out, or -1

  // Offsets out of range or order are reported elsewhere; here they must only do no harm.
  ORDO_HD int64_t clamp(int64_t at) const { return at < 0 ? 0 : at < items ? at : items; }
  ORDO_HD int64_t begin(int64_t bag) const { return offsets != nullptr ? clamp(offsets[bag]) : bag * length; }
  ORDO_HD int64_t end(int64_t bag) const {
    if (offsets == nullptr) return (bag + 1) * length;
    return bag + 1 < offset_count ? clamp(offsets[bag + 1]) : items;
  }
  /// Whether items are in no bag, which only a last offset leaves any of; on CUDA, whether there may be.
  bool has_uncovered(Device device) const {
    return offset_count > bags && (device.is_cuda() || clamp(offsets[bags]) < items);
  }
  /// Whether offset `at` begins at 0, lies in range and does not descend.
  ORDO_HD bool offset_ok(int64_t at, const IndexCheck& check) const {
    const int64_t value = offsets[at];
    if (at == 0) return check.ok(at, value, 1);
    return check.ok(at, value, items + 1) && (value >= offsets[at - 1] || check.ok(at, value, 0));
  }
};

/// Writes the row and the bag of the items of bag b that are not left out, and returns how many there are.
ORDO_HD int64_t find_bag(const Bags& bags, const IndexView& index, int64_t b, int64_t* row_of, int64_t* bag_of) {
  int64_t count = 0;
  for (int64_t i = bags.begin(b), end = bags.end(b); i < end; ++i) {
    const int64_t row = index[i];
    bag_of[i] = b;
    if (row < 0 || row == bags.padding) continue;
    row_of[i] = row;
    ++count;
  }
  return count;
}

/// <grad row, table row> by rule 1.
template <class T>
ORDO_HD accumulate_t<T> sample_gradient(const T* grad, const T* row, int64_t columns) {
  OrderedSum<accumulate_t<T>> sum;
  for (int64_t c = 0; c < columns; ++c) sum.push(accumulate_t<T>(grad[c]) * accumulate_t<T>(row[c]));
  return sum.result();
}

// Per device; tensors are contiguous.
namespace cpu {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
/// For every item, the row to which its bag's gradient goes, -1 for none, and the bag: `bags.bags` for those in none.
/// `counts`: how many items of each bag are not left out.
void find_bags(const Bags& bags, const Tensor& input, int64_t rows, int64_t* row_of, int64_t* bag_of, int64_t* counts);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
}  // namespace cpu
namespace cuda {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
/// For every item, the row to which its bag's gradient goes, -1 for none, and the bag: `bags.bags` for those in none.
/// `counts`: how many items of each bag are not left out.
void find_bags(const Bags& bags, const Tensor& input, int64_t rows, int64_t* row_of, int64_t* bag_of, int64_t* counts);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
}  // namespace cuda

}  // namespace ordo::kernels
