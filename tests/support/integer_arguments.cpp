#include "tests/support/integer_arguments.h"

namespace ordo::test {

std::map<std::string, std::vector<IntegerArgument>>& op_integers() {
  static std::map<std::string, std::vector<IntegerArgument>> arguments;
  return arguments;
}

std::set<std::string>& ops_without_integers() {
  static std::set<std::string> ops;
  return ops;
}

}  // namespace ordo::test
