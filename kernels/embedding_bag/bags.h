// Where bags begin and end. Internal; shared by both devices.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/accumulate/ordered_sum.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>

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
  /// Whether offset `at` begins at 0, lies in range and does not descend.
  ORDO_HD bool offset_ok(int64_t at, const IndexCheck& check) const {
    const int64_t value = offsets[at];
    if (at == 0) return check.ok(at, value, 1);
    return check.ok(at, value, items + 1) && (value >= offsets[at - 1] || check.ok(at, value, 0));
  }
};

/// Sum and mean: item i adds its bag's gradient, times its weight or over the bag's count, to its row.
template <class T, class I>
struct BagItems {
  using value_type = T;
  using V = accumulate_t<T>;
  int64_t count;
  const I* index;
  const int64_t* bag_of;  // -1: in no bag
  const T* grad;
  const T* sample_weights;  // or null
  const int64_t* counts;    // of bags, for the mean, or null
  int64_t rows, columns, padding;
  IndexCheck check;

  ORDO_HD int64_t destination(int64_t item) const {
    const int64_t row = int64_t(index[item]);
    return check.ok(item, row, rows) && row != padding && bag_of[item] >= 0 ? row : -1;
  }
  ORDO_HD V value(int64_t item, int64_t column) const {
    const V g = grad[bag_of[item] * columns + column];
    if (sample_weights != nullptr) return g * V(sample_weights[item]);
    if (counts != nullptr) return g / V(counts[bag_of[item]]);
    return g;
  }
};

/// Max: every (bag, column) adds its gradient to the row it came from, in that column.
template <class T>
struct BagMaxItems {
  using value_type = T;
  int64_t count;
  const int64_t* from;
  const T* grad;
  int64_t rows, columns;

  ORDO_HD int64_t destination(int64_t item) const {
    const int64_t row = from[item];
    return row >= 0 && row < rows ? row * columns + item % columns : -1;
  }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t) const { return grad[item]; }
};

/// <grad row, table row> by rule 1.
template <class T>
ORDO_HD accumulate_t<T> sample_gradient(const T* grad, const T* row, int64_t columns) {
  OrderedSum<accumulate_t<T>> sum;
  for (int64_t c = 0; c < columns; ++c) sum.push(accumulate_t<T>(grad[c]) * accumulate_t<T>(row[c]));
  return sum.result();
}

// Per device; tensors are contiguous. `output` of the backward pass holds zeros.
namespace cpu {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
void embedding_bag_backward(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& sample_weights,
                            EmbeddingBagMode mode, const Tensor& output, Algorithm algorithm);
void embedding_bag_max_backward(const Tensor& grad, const Tensor& rows, const Tensor& output, Algorithm algorithm);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
void embedding_bag_take(const Tensor& weight, const Tensor& rows, const Tensor& output);
}  // namespace cpu
namespace cuda {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
void embedding_bag_backward(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& sample_weights,
                            EmbeddingBagMode mode, const Tensor& output, Algorithm algorithm);
void embedding_bag_max_backward(const Tensor& grad, const Tensor& rows, const Tensor& output, Algorithm algorithm);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
void embedding_bag_take(const Tensor& weight, const Tensor& rows, const Tensor& output);
}  // namespace cuda

}  // namespace ordo::kernels
