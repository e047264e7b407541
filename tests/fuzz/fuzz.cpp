#include "tests/fuzz/fuzz.h"

namespace ordo::test {

const std::map<std::string, Fuzzer>& fuzzers() {
  static const std::map<std::string, Fuzzer> all = {
      {"views", {"views, in-place and ordinary operations, values and gradients", fuzz_views}},
  };
  return all;
}

}  // namespace ordo::test
