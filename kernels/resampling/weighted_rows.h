// Rows added to cells with weights, which is the gradient of an input that was sampled between its cells. Internal.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// Item i adds row row_of[i], or i / per_row where that is null, times its weight, to its cell; -1 is none.
struct WeightedRows {
  int64_t items;
  const int64_t* cells;
  const void* weights;  // of the rows' accumulation type
  const int64_t* row_of;
  int64_t per_row;
};

/// `rows` [..., columns] and `output` [..., columns] are contiguous and of one floating dtype; `output` is added to.
void add_weighted_rows(const WeightedRows& items, const Tensor& rows, const Tensor& output, Algorithm algorithm);

}  // namespace ordo::kernels
