#include "tests/fuzz/fuzz.h"

namespace ordo::test {

const std::map<std::string, Fuzzer>& fuzzers() {
  static const std::map<std::string, Fuzzer> all = {
      {"calls",
       {"operations with bent inputs: a result that repeats, or an error of the library; changes in place are noticed",
        1500, fuzz_calls}},
      {"products", {"products by `exact`, byte for byte by ordering rule 5", 400, fuzz_products, true}},
      {"sums", {"sums by `exact`, byte for byte by ordering rule 5", 300, fuzz_sums, true}},
      {"views", {"views, in-place and ordinary operations, values, gradients and second gradients", 2000, fuzz_views}},
  };
  return all;
}

}  // namespace ordo::test
