#include "tests/bits/rows.h"

#include <fmt/format.h>

#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

/// The result, or nothing where the operation or the sample refuses these inputs.
std::optional<Tensor> result_unless_refused(const Sample& sample, const TensorList& inputs) {
  try {
    const NoGrad guard;
    return sample.run(inputs);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Whether each row alone gives its part of `whole`.
bool is_right(const Sample& sample, const TensorList& inputs, const Tensor& whole, const RowDims& dims, int64_t rows) {
  for (int64_t i = 0; i < rows; ++i) {
    const std::optional<Tensor> alone = result_unless_refused(sample, row_of(inputs, dims, i));
    if (!alone || alone->dim() != whole.dim()) return false;
    const Tensor part = whole.narrow(dims.result, i, 1);
    if (alone->sizes() != part.sizes() || result_bytes(*alone) != result_bytes(part)) return false;
  }
  return true;
}

/// The next choice of each, the last changing first; false after the last.
bool advance(std::vector<size_t>& at, const std::vector<std::vector<int>>& choices) {
  for (size_t i = at.size(); i-- > 0;) {
    if (++at[i] < choices[i].size()) return true;
    at[i] = 0;
  }
  return false;
}

}  // namespace

std::string RowDims::str() const {
  std::string text;
  for (const int d : inputs) text += d < 0 ? "- " : fmt::format("{} ", d);
  return text + fmt::format("-> {}", result);
}

TensorList row_of(const TensorList& inputs, const RowDims& dims, int64_t index) {
  TensorList row = inputs;
  for (size_t i = 0; i < row.size(); ++i)
    if (dims.inputs[i] >= 0) row[i] = inputs[i].narrow(dims.inputs[i], index, 1).contiguous();
  return row;
}

TensorList batch_of_rows(const std::vector<TensorList>& rows, const RowDims& dims) {
  TensorList batch = rows[0];
  for (size_t i = 0; i < batch.size(); ++i) {
    if (dims.inputs[i] < 0) continue;
    TensorList parts;
    for (const TensorList& row : rows) parts.push_back(row[i]);
    batch[i] = cat(parts, dims.inputs[i]);
  }
  return batch;
}

std::optional<RowDims> row_dims_of(const Sample& sample, const TensorList& inputs) {
  if (inputs.empty() || inputs.size() > 6 || !inputs[0].defined()) return std::nullopt;
  const std::optional<Tensor> whole = result_unless_refused(sample, inputs);
  if (!whole || !whole->defined() || whole->numel() == 0) return std::nullopt;
  for (int first = 0; first < inputs[0].dim(); ++first) {
    const int64_t rows = inputs[0].size(first);
    if (rows < 2) continue;
    // The other inputs in all ways: their dimensions of as many rows, then as shared ones.
    std::vector<std::vector<int>> choices{{first}};
    for (size_t i = 1; i < inputs.size(); ++i) {
      std::vector<int> some;
      for (int d = 0; inputs[i].defined() && d < inputs[i].dim(); ++d)
        if (inputs[i].size(d) == rows) some.push_back(d);
      some.push_back(-1);
      choices.push_back(some);
    }
    RowDims dims;
    std::vector<size_t> at(inputs.size(), 0);
    do {
      dims.inputs.clear();
      for (size_t i = 0; i < inputs.size(); ++i) dims.inputs.push_back(choices[i][at[i]]);
      for (dims.result = 0; dims.result < whole->dim(); ++dims.result)
        if (whole->size(dims.result) == rows && is_right(sample, inputs, *whole, dims, rows)) return dims;
    } while (advance(at, choices));
  }
  return std::nullopt;
}

}  // namespace ordo::test
