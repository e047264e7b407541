// Rows added to cells with weights, which is the gradient of an input that was sampled between its cells. Internal.
#pragma once

#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/windows/windows.h>

namespace ordo::kernels {

/// Items of the accumulate engine: item i adds row row_of[i], or i / per_row where that is null, times its weight, to
/// its cell; -1 is none.
struct WeightedRows {
  int64_t items;
  const int64_t* cells;
  const void* weights;  // of the rows' accumulation type
  const int64_t* row_of;
  int64_t per_row;
};

template <class T>
struct WeightedRowItems {
  using value_type = T;
  using Acc = accumulate_t<T>;
  int64_t count;
  const int64_t* cells;
  const Acc* weights;
  const int64_t* row_of;
  int64_t per_row;
  const T* rows;
  int64_t columns;

  ORDO_HD int64_t destination(int64_t item) const { return cells[item]; }
  ORDO_HD int64_t raw_destination(int64_t item) const { return cells[item]; }
  ORDO_HD int64_t destination_from(int64_t, int64_t raw) const { return raw; }
  ORDO_HD Acc value(int64_t item, int64_t column) const { return element(*address(item, 0, column), item); }
  ORDO_HD Acc element(T read, int64_t item) const { return weights[item] * Acc(read); }
  ORDO_HD const T* address(int64_t item, int64_t, int64_t column) const {
    return rows + (row_of != nullptr ? row_of[item] : quotient(item, per_row)) * columns + column;
  }
  /// As item_row has it.
  auto row(int64_t item, int64_t, int64_t column) const {
    return [from = address(item, 0, column), weight = weights[item]](int64_t j) { return weight * Acc(from[j]); };
  }
  bool aligned(int64_t bytes) const { return rows_aligned(rows, {columns}, bytes); }
};

template <class T>
WeightedRowItems<T> weighted_row_items(const WeightedRows& a, const Tensor& rows) {
  return {a.items,        a.cells,      static_cast<const accumulate_t<T>*>(a.weights), a.row_of, a.per_row,
          rows.data<T>(), rows.size(-1)};
}

// `rows` [..., columns] and `output` [..., columns] are contiguous and of one floating dtype; `output` is added to.
namespace cpu {
void add_weighted_rows(const WeightedRows& items, const Tensor& rows, const Tensor& output, Algorithm algorithm);
}
namespace cuda {
void add_weighted_rows(const WeightedRows& items, const Tensor& rows, const Tensor& output, Algorithm algorithm);
}

}  // namespace ordo::kernels
