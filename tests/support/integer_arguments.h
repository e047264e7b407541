// The integer arguments of operations, beside their samples: what tests/registry/integers feeds with extreme numbers.
//
//   ORDO_OP_INTEGERS(narrow) {
//     return {{"start", [](int64_t v, Device d) { return some(d).narrow(1, v, 1); }}, ...};
//   }
//   ORDO_OP_NO_INTEGERS(exp);
//
// Sizes, dimensions, counts and numbers, and the values of index tensors. An operation has one or the other macro; the
// name may also be that of a function or class that has no row in the registry.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <ordo/ordo.h>

namespace ordo::test {

struct IntegerArgument {
  std::string name;
  /// The operation with that argument set to `v`, everything else being harmless. An undefined result is not looked at.
  std::function<Tensor(int64_t v, Device device)> run;
};

using IntegerFunction = std::vector<IntegerArgument> (*)();
std::map<std::string, IntegerFunction>& op_integers();
std::set<std::string>& ops_without_integers();

struct RegisterIntegers {
  RegisterIntegers(const char* op, IntegerFunction f) { op_integers()[op] = f; }
  explicit RegisterIntegers(const char* op) { ops_without_integers().insert(op); }
};
#define ORDO_OP_INTEGERS(op)                                                              \
  static std::vector<::ordo::test::IntegerArgument> integers_##op();                      \
  static const ::ordo::test::RegisterIntegers register_integers_##op{#op, integers_##op}; \
  static std::vector<::ordo::test::IntegerArgument> integers_##op()
#define ORDO_OP_NO_INTEGERS(op) \
  static const ::ordo::test::RegisterIntegers register_no_integers_##op { #op }

/// float32 [2, 3] of small numbers.
inline Tensor some(Device device) { return from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}).to(device); }
/// One index, int64.
inline Tensor one_index(int64_t v, Device device) { return from_vector<int64_t>({v}, {1}).to(device); }

}  // namespace ordo::test
