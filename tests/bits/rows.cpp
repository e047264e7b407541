#include "tests/bits/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/bits/bits.h"
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

bool is_part(const Tensor& whole, int dim, int64_t at, const Tensor& alone) {
  if (alone.dim() != whole.dim()) return false;
  const Tensor part = whole.narrow(dim, at, 1);
  return alone.sizes() == part.sizes() && result_bytes(alone) == result_bytes(part);
}

/// What a sample computes, of all rows.
struct Whole {
  TensorList inputs;
  Tensor result;
};

/// Whether each row alone gives its part of `whole`, and of the result for the rows backwards, twice, and one again: what
/// fits by chance does not fit there.
bool is_right(const Sample& sample, const TensorList& inputs, const Tensor& whole, const RowDims& dims, int64_t rows) {
  std::vector<TensorList> others;
  for (int64_t i = 2 * rows; i >= 0; --i) others.push_back(row_of(inputs, dims, i % rows));
  const std::optional<Tensor> other = result_unless_refused(sample, batch_of_rows(others, dims));
  if (!other || other->dim() != whole.dim() || other->size(dims.result) != 2 * rows + 1) return false;
  for (int64_t i = 0; i < rows; ++i) {
    const std::optional<Tensor> alone = result_unless_refused(sample, row_of(inputs, dims, i));
    if (!alone || !is_part(whole, dims.result, i, *alone) || !is_part(*other, dims.result, 2 * rows - i, *alone))
      return false;
  }
  return true;
}

constexpr int kMostTries = 1000;  // of an input's dimension

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

std::optional<RowDims> find_rows(const Sample& sample) {
  const TensorList& inputs = sample.inputs;
  const DeterminismGuard guard(Determinism::device_to_device);
  std::vector<Whole> wholes;
  for (const DType dtype : {float64, float32}) {
    const TensorList converted = convert(inputs, dtype, cpu);
    const std::optional<Tensor> whole = result_unless_refused(sample, converted);
    if (whole && whole->defined() && whole->numel() > 0) wholes.push_back({converted, *whole});
  }
  if (wholes.empty()) return std::nullopt;
  const Dims& sizes = wholes[0].result.sizes();
  // The inputs before the `lead` are shared, those behind it in all ways: a dimension of as many rows, or shared.
  for (size_t lead = 0; lead < inputs.size(); ++lead)
    for (int first = 0; inputs[lead].defined() && first < inputs[lead].dim(); ++first) {
      const int64_t rows = inputs[lead].size(first);
      if (rows < 2) continue;
      std::vector<std::vector<int>> choices(lead, {-1});
      choices.push_back({first});
      for (size_t i = lead + 1; i < inputs.size(); ++i) {
        choices.emplace_back();
        for (int d = 0; inputs[i].defined() && d < inputs[i].dim(); ++d)
          if (inputs[i].size(d) == rows) choices.back().push_back(d);
        choices.back().push_back(-1);
      }
      RowDims dims;
      std::vector<size_t> at(inputs.size(), 0);
      int tries = 0;
      do {
        dims.inputs.clear();
        for (size_t i = 0; i < inputs.size(); ++i) dims.inputs.push_back(choices[i][at[i]]);
        for (dims.result = 0; dims.result < sizes.size(); ++dims.result)
          if (sizes[dims.result] == rows && std::all_of(wholes.begin(), wholes.end(), [&](const Whole& w) {
                return is_right(sample, w.inputs, w.result, dims, rows);
              }))
            return dims;
      } while (++tries < kMostTries && advance(at, choices));
    }
  return std::nullopt;
}

// -- the file ---------------------------------------------------------------------------------------------------------

namespace {

/// By operation, its lines as they are in the file, behind the operation's name.
using File = std::map<std::string, std::vector<std::string>>;

File read() {
  File file;
  std::ifstream in(ORDO_ROWS_FILE);
  for (std::string line; std::getline(in, line);)
    if (const size_t open = line.find(" \""); !line.starts_with('#') && open != std::string::npos)
      file[line.substr(0, open)].push_back(line.substr(open + 1));
  return file;
}

}  // namespace

std::map<std::string, RowDims> rows_written(const OpInfo& op) {
  static const File file = read();
  std::map<std::string, RowDims> all;
  const auto at = file.find(std::string(op.name));
  if (at == file.end()) return all;
  for (const std::string& line : at->second) {
    const size_t close = line.find("\": ");
    RowDims& dims = all[line.substr(1, close - 1)];
    std::istringstream words(line.substr(close + 3));
    for (std::string word; words >> word && word != "->";) dims.inputs.push_back(word == "-" ? -1 : std::stoi(word));
    words >> dims.result;
  }
  return all;
}

void write_rows(const std::vector<const OpInfo*>& ops) {
  File file = read();
  for (const OpInfo* op : ops) {
    std::vector<std::string>& lines = file[std::string(op->name)];
    lines.clear();
    for (const Sample& sample : labelled_samples(*op))
      if (const std::optional<RowDims> dims = find_rows(sample))
        lines.push_back(fmt::format("\"{}\": {}", sample.label, dims->str()));
  }
  std::ofstream out(ORDO_ROWS_FILE, std::ios::trunc);
  out << "# Which dimensions hold rows (tests/bits/rows.h). Made by `./run ordo bits --write`.\n";
  for (const auto& [op, lines] : file)
    for (const std::string& line : lines) out << op << " " << line << "\n";
  out.close();
  if (!out) throw DataError(fmt::format("[rows] {}: cannot be written", ORDO_ROWS_FILE));
}

}  // namespace ordo::test
