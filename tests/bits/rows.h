// Rows of operations: parts of the inputs that make a part of the result by themselves . Found by trying.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/op_samples.h"

namespace ordo::test {

/// One number per input: the dimension that holds rows, or -1 for an input that all rows share; and the dimension of the
/// result. "0 - 1 -> 0".
struct RowDims {
  std::vector<int> inputs;
  int result = 0;

  std::string str() const;
};

/// The dimensions of a sample whose rows alone give the same bytes as beside the others, at the level in force. Those of
/// the leading dimension of the first input come first. Undefined where there are none.
std::optional<RowDims> row_dims_of(const Sample& sample, const TensorList& inputs);

/// Row `index` of every input that has rows.
TensorList row_of(const TensorList& inputs, const RowDims& dims, int64_t index);
/// One batch of rows, in this order.
TensorList batch_of_rows(const std::vector<TensorList>& rows, const RowDims& dims);

}  // namespace ordo::test
