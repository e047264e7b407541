// Row programs: each row is folded to a few numbers, and then mapped. On both devices
//
//   row_program(shape, device, map, &fold, &fold)
//
// takes two folds, reducers (reducers.h) whose store() keeps what a row comes to, or null where one is left out. The
// second may read what the first has stored; one that does not has `kAlone`, and CUDA computes both in one pass. The map
// has
//   T                        the type of the results
//   out                      where they go
//   row(r)                   what all values of row r share
//   value(row, at, column)   the result at `at`, which is value `column` of its row
#pragma once

#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {

/// Contiguous values [outer, rows, inner]; value (o, r, i) is value o inner + i of row r. A map's rows are `parts`
/// equal parts of each row.
struct RowsShape {
  int64_t outer = 1, rows = 1, inner = 1, parts = 1;

  int64_t numel() const { return outer * rows * inner; }
  ReduceShape reduction() const { return reduce_shape({outer, rows, inner}, {rows * inner, inner, 1}, 0b101); }
};

}  // namespace ordo::kernels
