// The rows of operations: parts of the inputs that make a part of the result by themselves. tests/bits/rows.txt has a
// line for each sample (ORDO_OP_SAMPLES) that has rows. It says for each input which dimension holds them, `-` for an
// input that all rows share, and which dimension of the result:
//
//   matmul "[4, 5] x [5, 6]": 0 - -> 0
//
// A batch of such rows, whatever they are and however many, gives each of them the bytes that it has alone, gradients
// included (rows_test.cpp; docs/rows.md).
#pragma once

#include <optional>

#include "tests/support/op_samples.h"

namespace ordo::test {

struct RowDims {
  std::vector<int> inputs;  ///< -1: shared
  int result = 0;

  std::string str() const;  ///< "0 - -> 0"
};

/// Row `index` of every input that has rows.
TensorList row_of(const TensorList& inputs, const RowDims& dims, int64_t index);
/// One batch of rows, in this order.
TensorList batch_of_rows(const std::vector<TensorList>& rows, const RowDims& dims);

/// Finds rows by trying: each alone, and all in another order and some twice, must give the same bytes, in float32 and
/// float64 on the CPU. Nothing where there are none. The first dimension that has them counts.
std::optional<RowDims> find_rows(const Sample& sample);

/// What the file says of an operation, by the label of the sample.
std::map<std::string, RowDims> rows_written(const OpInfo& op);

/// Writes what find_rows() finds. The file keeps what it says of other operations.
void write_rows(const std::vector<const OpInfo*>& ops);

}  // namespace ordo::test
