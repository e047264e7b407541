#include "bench/grid.h"

#include <fmt/format.h>
#include <ordo/engine/run/files.h>

#include <algorithm>
#include <fstream>

#include "bench/built_in_tables.h"

namespace ordo::bench {

namespace {

// The rows for which a row of the table stands: the product of its lists. An object, the shape, is merged in.
void expand(const Json& row, std::vector<Row>& rows) {
  for (const auto& [key, value] : row.items()) {
    if (!value.is_array()) continue;
    for (const Json& choice : value) {
      Json one = row;
      one.erase(key);
      if (choice.is_object())
        one.update(choice);
      else
        one[key] = choice;
      expand(one, rows);
    }
    return;
  }
  rows.push_back({row});
}

}  // namespace

int Row::rank() const {
  const std::string op = text("op");
  const size_t at = op.size() < 2 ? 0 : op.size() - 2;
  if (op.size() < 2 || op[at] < '1' || op[at] > '3' || op[at + 1] != 'd')
    throw ValueError(fmt::format("[bench] the name of '{}' does not end with its dimensions, 1d, 2d or 3d", op));
  return op[at] - '0';
}

Dims Row::volume(Dims sizes, const char* key) const {
  for (int d = 0; d < rank(); ++d) sizes.push_back(number(key));
  return sizes;
}

std::string Row::operation() const { return has("mode") ? text("op") + "-" + text("mode") : text("op"); }

std::string Row::shape() const {
  std::string all = has("inputs") ? text("inputs").substr(0, text("inputs").find(' ')) : "";
  for (const auto& [key, value] : values.items())
    if (value.is_number_integer()) all += (all.empty() ? "" : ":") + std::to_string(value.get<int64_t>());
  return all;
}

std::string Row::distribution() const {
  return has("values") ? text("distribution") + "-" + text("values") : text("distribution");
}

std::string Row::name(const std::string& path, Device device) const {
  return fmt::format("{}/{}/{}/{}/{}/{}", operation(), path, device.is_cpu() ? "cpu" : "cuda", text("dtype"),
                     distribution(), shape());
}

std::vector<Path> Row::paths() const {
  const OpInfo* op = find_op(text("op"));
  const auto has = [&](Algorithm wanted) {
    return op && std::any_of(op->algorithms.begin(), op->algorithms.end(),
                             [&](const AlgorithmLevel& a) { return a.algorithm == wanted; });
  };
  std::vector<Path> all;
  const bool by_name = has(Algorithm::atomic) && text("family") != "call";
  if (by_name) {  // what accumulates takes an algorithm by name
    for (const AlgorithmLevel& a : op->algorithms)
      if (a.dtypes.has(dtype())) all.push_back({std::string(ordo::name(a.algorithm)), a.algorithm});
    std::stable_partition(all.begin(), all.end(), [](const Path& p) { return p.algorithm == Algorithm::atomic; });
  } else {
    all.push_back({"not_guaranteed"});
  }
  all.push_back({"run_to_run", Algorithm::automatic, Determinism::run_to_run});
  if (!op || has(Algorithm::library))
    all.push_back({"device_to_device", Algorithm::automatic, Determinism::device_to_device});
  return all;
}

std::vector<Row> read_grid(const std::string& file, bool quick) {
  std::vector<Row> rows;
  try {
    Json table;
    if (file.empty()) {
      table = Json::parse(kBuiltInGrid);
    } else {
      detail::expect_file("bench", file);
      std::ifstream stream(file);
      table = Json::parse(stream);
    }
    for (const Json& row : table.at(quick ? "quick" : "rows")) expand(row, rows);
    for (const Row& row : rows) row.text("family"), row.text("op"), row.text("distribution"), row.dtype(), row.shape();
  } catch (const Json::exception& error) {
    throw DataError(fmt::format("[bench] {} is not a table of benchmarks: {}", file, error.what()));
  } catch (const DTypeError& error) {
    throw DataError(fmt::format("[bench] {} is not a table of benchmarks: {}", file, error.what()));
  }
  return rows;
}

}  // namespace ordo::bench
