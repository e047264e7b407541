// Where bags begin and end. Internal; shared by both devices.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
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
  /// Where the items begin that are in no bag, which only a last offset leaves any of. Null: there are none.
  const int64_t* uncovered() const { return offset_count > bags ? offsets + bags : nullptr; }
  /// Whether offset `at` begins at 0, lies in range and does not descend.
  ORDO_HD bool offset_ok(int64_t at, const IndexCheck& check) const {
    const int64_t value = offsets[at];
    if (at == 0) return check.ok(at, value, 1);
    return check.ok(at, value, items + 1) && (value >= offsets[at - 1] || check.ok(at, value, 0));
  }
};

/// Item i adds its bag's gradient to its row: a sum's times its weight, a mean's divided by the number of items.
template <class T, bool kMean>
struct BagItems {
  using value_type = T;
  using V = accumulate_t<T>;
  int64_t count;
  const int64_t* row_of;     // -1: left out, or in no bag
  const int64_t* bag_of;     // 0 for those in no bag
  const int64_t* uncovered;  // with an IndexPlan, which knows neither: as Bags has it, else null
  const int64_t* counts;     // of bags: items that are not left out
  const T* sample_weights;   // null: 1
  const T* grad;
  int64_t columns;

  ORDO_HD int64_t destination(int64_t item) const { return row_of[item]; }
  ORDO_HD V value(int64_t item, int64_t column) const { return element(*address(item, 0, column), item); }
  ORDO_HD V element(T read, int64_t item) const { return share(item)(read); }
  ORDO_HD const T* address(int64_t item, int64_t, int64_t column) const {
    return grad + bag_of[item] * columns + column;
  }
  bool aligned(int64_t bytes) const { return rows_aligned(grad, {columns}, bytes); }

  /// What an item makes of its bag's gradient, in every column.
  struct Share {
    V factor;   // of a mean: the divisor
    bool adds;  // else it leaves whatever was before as it was
    ORDO_HD V operator()(T read) const { return !adds ? V(-0.0) : kMean ? V(read) / factor : V(read) * factor; }
  };
  ORDO_HD Share share(int64_t item) const {
    if (uncovered != nullptr && item >= *uncovered) return {V(1), false};
    if constexpr (kMean)
      return {V(counts[bag_of[item]]), true};
    else
      return {sample_weights != nullptr ? V(sample_weights[item]) : V(1), true};
  }
  /// As item_row has it.
  auto row(int64_t item, int64_t, int64_t column) const {
    return [from = address(item, 0, column), share = share(item)](int64_t j) { return share(from[j]); };
  }
};

/// Writes the row and the bag of the items of bag b that are not left out, as BagItems has them, and returns how many
/// there are.
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

/// Calls f(items) with the BagItems of the mode.
template <class T, class F>
void with_bag_items(EmbeddingBagMode mode, int64_t count, const int64_t* row_of, const int64_t* bag_of,
                    const int64_t* uncovered, const int64_t* counts, const T* sample_weights, const T* grad,
                    int64_t columns, const F& f) {
  if (mode == EmbeddingBagMode::mean)
    f(BagItems<T, true>{count, row_of, bag_of, uncovered, counts, nullptr, grad, columns});
  else
    f(BagItems<T, false>{count, row_of, bag_of, uncovered, counts, sample_weights, grad, columns});
}

/// Max: every (bag, column) adds its gradient to the row it came from, in that column.
template <class T>
struct BagMaxItems {
  using value_type = T;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  const int64_t* from;
  const T* grad;
  int64_t rows, columns;

  // A division of 32 bits takes half the time of one of 64.
  ORDO_HD int64_t column(int64_t item) const {
    return uint64_t(item | columns) >> 32 == 0 ? int64_t(uint32_t(item) % uint32_t(columns)) : item % columns;
  }
  ORDO_HD int64_t destination(int64_t item) const {
    const int64_t row = from[item];
    return row >= 0 && row < rows ? row * columns + column(item) : -1;
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

// Per device; tensors are contiguous. `output` of the backward pass holds zeros. With an order, an IndexPlan's, what
// the row of padding gets is to be cleared by the caller.
namespace cpu {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
void embedding_bag_backward(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& sample_weights,
                            EmbeddingBagMode mode, const Tensor& output, Algorithm algorithm, const IndexOrder* order);
void embedding_bag_max_backward(const Tensor& grad, const Tensor& rows, const Tensor& output, Algorithm algorithm);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
void embedding_bag_take(const Tensor& weight, const Tensor& rows, const Tensor& output);
}  // namespace cpu
namespace cuda {
void embedding_bag(const Bags& bags, const Tensor& input, const Tensor& weight, const Tensor& sample_weights,
                   EmbeddingBagMode mode, const Tensor& values, const Tensor& rows);
void embedding_bag_backward(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& sample_weights,
                            EmbeddingBagMode mode, const Tensor& output, Algorithm algorithm, const IndexOrder* order);
void embedding_bag_max_backward(const Tensor& grad, const Tensor& rows, const Tensor& output, Algorithm algorithm);
void embedding_bag_sample_gradient(const Bags& bags, const Tensor& input, const Tensor& grad, const Tensor& weight,
                                   const Tensor& output);
void embedding_bag_take(const Tensor& weight, const Tensor& rows, const Tensor& output);
}  // namespace cuda

}  // namespace ordo::kernels
