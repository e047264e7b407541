// What an embedding's backward pass accumulates. Internal; shared by both devices.
#pragma once

#include <ordo/engine/dtype.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

/// Item i adds row i of the gradient to row index[i] of the table's.
template <class T>
struct EmbeddingItems {
  using value_type = T;
  int64_t count;
  IndexView index;
  const T* grad;
  int64_t columns, padding;

  ORDO_HD int64_t destination(int64_t item) const { return destination_from(item, raw_destination(item)); }
  int64_t checked_destination(int64_t item) const { return without_padding(index.raw(item)); }
  int64_t unrecorded_destination(int64_t item) const { return without_padding(index.unrecorded(index.raw(item))); }
  bool met_bad_index() const { return index.check.failed(); }
  ORDO_HD int64_t raw_destination(int64_t item) const { return index.raw(item); }
  ORDO_HD int64_t destination_from(int64_t item, int64_t raw) const {
    return without_padding(index.checked(item, raw));
  }
  ORDO_HD int64_t without_padding(int64_t row) const { return row != padding ? row : -1; }
  ORDO_HD accumulate_t<T> value(int64_t item, int64_t column) const { return *address(item, 0, column); }
  static constexpr bool kEvenlySpaced = true;
  ORDO_HD accumulate_t<T> element(T read, int64_t) const { return read; }
  ORDO_HD const T* address(int64_t item, int64_t, int64_t column) const { return grad + item * columns + column; }
  bool aligned(int64_t bytes) const { return rows_aligned(grad, {columns}, bytes); }
};

}  // namespace ordo::kernels
