// Some programs of every kind; `./run fuzz` runs more.
#include <gtest/gtest.h>

#include <ordo/ordo.h>
#include "tests/fuzz/fuzz.h"

namespace ordo::test::fuzz_test {
namespace {

class Fuzz : public testing::TestWithParam<std::string> {};

TEST_P(Fuzz, programs) {
  const Fuzzer& fuzzer = fuzzers().at(GetParam());
  int complete = 0;
  for (uint64_t seed = 0; seed < uint64_t(fuzzer.programs); ++seed) {
    const FuzzResult result = fuzzer.run(seed, Device("cpu"));
    ASSERT_EQ(result.failure, "") << "replay: ordo_tests fuzz " << GetParam() << " --seed " << seed << " --programs 1";
    complete += result.complete;
  }
  EXPECT_GT(complete, fuzzer.programs / 4) << "too many programs end early";
}

TEST(FuzzCuda, programs) {
  if (!cuda::is_available()) GTEST_SKIP() << "no CUDA device";
  const int programs = cuda::build() == "emulated" ? 10 : 200;
  for (const auto& [name, fuzzer] : fuzzers())
    for (uint64_t seed = 0; fuzzer.on_cuda && seed < uint64_t(programs); ++seed)
      ASSERT_EQ(fuzzer.run(seed, Device("cuda")).failure, "") << name;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, fuzzer] : fuzzers()) out.push_back(name);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Kinds, Fuzz, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ordo::test::fuzz_test
