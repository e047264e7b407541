#include <ordo/kernels/resampling/weighted_rows.h>

#include <ordo/kernels/accumulate/keyed.h>

namespace ordo::kernels {

void add_weighted_rows(const WeightedRows& a, const Tensor& rows, const Tensor& output, Algorithm algorithm) {
  const int64_t columns = rows.size(-1), cells = output.numel() / columns;
  KeyedItems items = keyed_items(keyed_rows(cells, columns, a.items), {a.cells, true, cells}, output, rows, true);
  items.factors = a.weights;
  items.row_of = a.row_of;
  items.per_row = a.per_row;
  add_by_key(items, algorithm);
}

}  // namespace ordo::kernels
