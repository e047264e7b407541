// The integer arguments of operations, beside their samples: what tests/registry/integers feeds with extreme numbers.
//
//   ORDO_OP_INTEGER(narrow, "start", some(d).narrow(1, v, 1));  // v is the argument, d the device
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

inline std::map<std::string, std::vector<IntegerArgument>>& op_integers() {
  static std::map<std::string, std::vector<IntegerArgument>> arguments;
  return arguments;
}
inline std::set<std::string>& ops_without_integers() {
  static std::set<std::string> ops;
  return ops;
}

struct RegisterIntegers {
  RegisterIntegers(const char* op, const std::vector<IntegerArgument>& arguments) {
    auto& all = op_integers()[op];
    all.insert(all.end(), arguments.begin(), arguments.end());
  }
  explicit RegisterIntegers(const char* op) { ops_without_integers().insert(op); }
};
#define ORDO_OP_INTEGER(op, name, ...)                                                                   \
  static const ::ordo::test::RegisterIntegers ORDO_OP_CONCAT(op_integer_, __COUNTER__)(                  \
      #op, {{name, []([[maybe_unused]] int64_t v, [[maybe_unused]] ::ordo::Device d) -> ::ordo::Tensor { \
               return __VA_ARGS__;                                                                       \
             }}})
#define ORDO_OP_NO_INTEGERS(op) \
  static const ::ordo::test::RegisterIntegers register_no_integers_##op { #op }

/// float32 [2, 3] of small numbers.
inline Tensor some(Device device) { return from_vector<float>({1, 2, 3, 4, 5, 6}, {2, 3}).to(device); }
/// One index, int64.
inline Tensor one_index(int64_t v, Device device) { return from_vector<int64_t>({v}, {1}).to(device); }

}  // namespace ordo::test
