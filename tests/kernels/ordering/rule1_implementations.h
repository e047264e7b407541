// Everything that adds by ordering rule 1, for rule1_test.cpp.
#pragma once

#include <functional>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include <ordo/engine/tensor/device.h>

namespace ordo::test {

/// One implementation of the rule.
struct Rule1Implementation {
  std::string name;
  int64_t most;  ///< values that a test can afford to give it
  /// Results, each of which is to be the sum of `values` by the rule. None where there is no device for it.
  std::function<std::vector<float>(const std::vector<float>& values)> sums;
};

inline void PrintTo(const Rule1Implementation& implementation, std::ostream* out) { *out << implementation.name; }

/// Those of all test files. A file adds its own with a static Rule1Registration.
inline std::vector<Rule1Implementation>& rule1_implementations() {
  static std::vector<Rule1Implementation> all;
  return all;
}

struct Rule1Registration {
  Rule1Registration(std::initializer_list<Rule1Implementation> more) {
    rule1_implementations().insert(rule1_implementations().end(), more);
  }
};

}  // namespace ordo::test
