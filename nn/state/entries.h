// The entries of a state dict on their way into an object: found by name, each used once, and every problem reported
// in one error. Internal to nn.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <ordo/engine/run/generator.h>
#include <ordo/nn/named_tensor.h>

namespace ordo::nn {

class Entries {
 public:
  /// ValueError when an entry has no tensor or a name is given twice.
  Entries(const char* op, const NamedTensorList& state);

  bool has(const std::string& name) const { return given_.contains(name); }
  /// Undefined when there is none, or when its sizes differ, which finish() reports.
  Tensor take(const std::string& name, const Dims& sizes);
  /// A double, int64_t or GeneratorState as state_of() wrote it; `missing` when there is none.
  template <class T>
  T take(const std::string& name, const T& missing = {});

  /// ShapeError for entries of other sizes; if `strict`, ValueError for missing and unexpected ones, all by name.
  LoadReport finish(bool strict = true);

 private:
  const char* op_;
  std::map<std::string, Tensor> given_;  // not taken yet
  std::vector<std::string> missing_, shapes_;
};

// Entries for what is not a tensor.
NamedTensor state_of(const std::string& name, double number);
NamedTensor state_of(const std::string& name, int64_t number);
NamedTensor state_of(const std::string& name, const GeneratorState& state);

/// The entries with `prefix` before their names.
NamedTensorList with_prefix(const std::string& prefix, NamedTensorList entries);
/// Those whose names begin with `prefix`, without it.
NamedTensorList within_prefix(const std::string& prefix, const NamedTensorList& entries);

}  // namespace ordo::nn
