// The table of what is measured (grid.json), and the names of its benchmarks.
#pragma once

#include <ordo/ordo.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ordo::bench {

using Json = nlohmann::ordered_json;  // keeps the order of a shape's numbers

/// One way to compute a row: an algorithm by name, or what a level chooses.
struct Path {
  std::string name;
  Algorithm algorithm = Algorithm::automatic;
  Determinism level = Determinism::not_guaranteed;
};

/// One operation on one shape: {"family", "op", "mode" (some), "distribution", "values" (some), "dtype", and the
/// numbers of its shape}.
struct Row {
  Json values;

  std::string text(const char* key) const { return values.at(key).get<std::string>(); }
  int64_t number(const char* key) const { return values.at(key).get<int64_t>(); }
  bool has(const char* key) const { return values.contains(key); }
  DType dtype() const { return dtype_from_name(text("dtype")); }

  /// The N of an operation called "...Nd"; ValueError when it is called otherwise.
  int rank() const;
  /// `sizes`, then the number `key` for each of rank() dimensions.
  Dims volume(Dims sizes, const char* key) const;

  std::string operation() const;     ///< "embedding_bag-max": the operation and its mode
  std::string shape() const;         ///< "1048576:65536:32", or of a call the first of its inputs
  std::string distribution() const;  ///< "zipf", or with values that are not uniform "zipf-exp3"
  /// "index_add/sorted/cpu/float32/zipf/1048576:65536:32"
  std::string name(const std::string& path, Device device) const;
  /// The first is the fast one, and one of them is "run_to_run", what that level chooses.
  std::vector<Path> paths() const;
};

/// The rows of the table in `file`, or of the built-in one when that is empty. DataError for a file that is no table.
std::vector<Row> read_grid(const std::string& file, bool quick);

}  // namespace ordo::bench
