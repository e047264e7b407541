// Items, keys and an output: what all operations share that combine items by key, or write them. Sums and products are
// compiled here once for all of them; kernels/scatter has the other ways to combine.
//
// Item i of a line goes to one of the destinations of that line. The output is [outer, destinations, inner],
// contiguous; the source [outer, items, inner] with any strides, 0 for a number. There is a key for every element of
// the source, or, with `rows`, one of `items` keys for all lines.
#pragma once

#include <cstdint>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

struct KeyedShape {
  int64_t outer = 1, destinations = 0, inner = 1, items = 0;
  bool rows = false;
  int64_t outer_stride = 0, item_stride = 0, inner_stride = 0;  // of the source

  ORDO_HD int64_t elements() const { return outer * items * inner; }
  ORDO_HD int64_t places() const { return outer * destinations * inner; }
  ORDO_HD int64_t indices() const { return rows ? items : elements(); }
  /// What a key tells apart: destinations, with `rows`, else places.
  ORDO_HD int64_t slots() const { return rows ? destinations : places(); }
  /// For the accumulate engine: without `rows` every place is a destination of one column.
  AccumulateShape accumulated() const {
    return rows ? AccumulateShape{destinations, outer, inner} : AccumulateShape{places(), 1, 1};
  }

  struct At {
    int64_t outer, item, inner;
  };
  /// Of an element of the source, in row-major order.
  ORDO_HD At at(int64_t element) const {
    if (inner == 1) return outer == 1 ? At{0, element, 0} : At{element / items, element % items, 0};
    const int64_t row = element / inner;
    return outer == 1 ? At{0, row, element % inner} : At{row / items, row % items, element % inner};
  }
  ORDO_HD int64_t item_of(int64_t index) const { return rows ? index : at(index).item; }
  ORDO_HD int64_t place(const At& a, int64_t destination) const {
    return (a.outer * destinations + destination) * inner + a.inner;
  }
  ORDO_HD int64_t slot(int64_t index, int64_t destination) const {
    return rows ? destination : place(at(index), destination);
  }
  ORDO_HD int64_t slot_of_place(int64_t place) const { return rows ? place / inner % destinations : place; }
  ORDO_HD int64_t source(const At& a) const {
    return a.outer * outer_stride + a.item * item_stride + a.inner * inner_stride;
  }
};

/// Rows of `columns` neighbours each, one for every item.
inline KeyedShape keyed_rows(int64_t destinations, int64_t columns, int64_t items) {
  return {1, destinations, columns, items, true, 0, columns, 1};
}

struct KeyedItems {
  KeyedShape shape;
  IndexView index;  // the keys
  void* output;
  const void* source;
  DType dtype;  // of the output
  Device device;
  bool known = false;  // every key has been checked, or is -1
  // For sums of rows.
  Scalar alpha = 1;                   // multiplies the source
  const IndexOrder* order = nullptr;  // of an IndexPlan of the keys: then it decides the algorithm
  int64_t skipped = -1;               // the key of items to be left out
  const int64_t* row_of = nullptr;    // [items] rows of the source; null: item i has row i / per_row
  int64_t per_row = 1;
  const void* factors = nullptr;  // [items], of the accumulation type, in place of alpha
  bool wide_source = false;       // the source is of the accumulation type, too
};

/// The source's elements as items of the output; `known`: their keys are.
inline KeyedItems keyed_items(const KeyedShape& shape, const IndexView& index, const Tensor& output,
                              const Tensor& source, bool known = false) {
  return {shape, index, output.data(), source.data(), output.dtype(), output.device(), known};
}

/// Adds the items to what the output has at their keys. The source is contiguous; with `rows`, its rows are.
void add_by_key(const KeyedItems& items, Algorithm algorithm);
/// Multiplies what the output has at the items' keys by the items, by `sorted`; float32, float64 and int64.
void multiply_by_key(const KeyedItems& items);

/// Item i adds row row_of[i], or i / per_row where that is null, times its weight, to its cell; -1 is none. Weights are
/// of the rows' accumulation type. `rows` [..., columns] and `output` [..., columns] are contiguous and of one floating
/// dtype; `output` is added to.
inline void add_weighted_rows(int64_t count, const int64_t* cells, const void* weights, const int64_t* row_of,
                              int64_t per_row, const Tensor& rows, const Tensor& output, Algorithm algorithm) {
  const int64_t columns = rows.size(-1), destinations = output.numel() / columns;
  KeyedItems items =
      keyed_items(keyed_rows(destinations, columns, count), {cells, true, destinations}, output, rows, true);
  items.factors = weights;
  items.row_of = row_of;
  items.per_row = per_row;
  add_by_key(items, algorithm);
}

ORDO_DEVICES(void, add_by_key, const KeyedItems& items, Algorithm algorithm)
ORDO_DEVICES(void, multiply_by_key, const KeyedItems& items)

}  // namespace ordo::kernels
