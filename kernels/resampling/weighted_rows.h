// Rows added to cells with weights, which is the gradient of an input that was sampled between its cells. Internal.
#pragma once

#include <ordo/kernels/accumulate/keyed.h>

namespace ordo::kernels {

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

}  // namespace ordo::kernels
