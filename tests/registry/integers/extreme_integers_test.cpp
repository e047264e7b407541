// Extreme integers in every integer argument of every operation give an error that names the operation, or a result
// that can be read and printed; in bounded time and memory.
#include <ctime>
#include <limits>

#include <ordo/engine/tensor/tensor_impl.h>
#include "tests/support/integer_arguments.h"
#include "tests/support/memory_limit.h"
#include "tests/support/op_samples.h"
#include "tests/support/schedules.h"

namespace ordo::test::extreme_integers_test {
namespace {

constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t k31 = int64_t(1) << 31, k32 = 2 * k31, k40 = int64_t(1) << 40, k60 = int64_t(1) << 60, k61 = 2 * k60,
                  k62 = 2 * k61;
constexpr int64_t kExtreme[] = {0,       1,       -1,       2,         -2,      127,        255,   256,     -256,
                                k31 - 1, k31,     -k31 - 1, k32,       k32 + 1, -k32,       k40,   k60 + 1, k61,
                                k62,     k62 + 1, -k62,     kMost - 1, kMost,   kLeast + 1, kLeast};

/// Of all threads; on a busy machine they wait for longer.
double processor_seconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// All elements lie within the tensor's memory, and its numbers agree with each other.
void expect_sound(const Tensor& t) {
  __int128 numel = 1, last = t.storage_offset();
  for (int d = 0; d < t.dim(); ++d) {
    ASSERT_GE(t.sizes()[d], 0);
    numel *= t.sizes()[d];
    last += __int128(t.sizes()[d] - 1) * t.strides()[d];
  }
  ASSERT_TRUE(numel == t.numel()) << t.sizes().str();
  if (numel == 0) return;
  ASSERT_TRUE((last + 1) * int(t.element_size()) <= __int128(t.impl()->storage->bytes())) << t.sizes().str();
  if (numel <= 100000) (void)t.to_vector<double>();
}

class ExtremeIntegers : public testing::TestWithParam<std::string> {};

std::vector<std::string> names_with_integers() {
  std::vector<std::string> names;
  for (const auto& [name, arguments] : op_integers()) names.push_back(name);
  return names;
}

TEST_P(ExtremeIntegers, give_an_error_or_a_sound_result) {
  const std::string& op = GetParam();
  const MemoryLimit limit(checked_build() ? size_t(2) << 20 : size_t(64) << 20);
  for (const IntegerArgument& argument : op_integers()[op]) {
    for (Device device : test_devices()) {
      for (int64_t v : kExtreme) {
        SCOPED_TRACE(argument.name + " = " + std::to_string(v) + " on " + device.str());
        const double start = processor_seconds();
        try {
          const Tensor result = argument.run(v, device);
          if (device.is_cuda()) cuda::synchronize();
          if (result.defined()) {
            expect_sound(result);
            EXPECT_LT(result.str().size(), size_t(1) << 20);
          }
        } catch (const Error& error) {
          EXPECT_TRUE(std::string(error.what()).starts_with("[" + op + "]")) << error.what();
        } catch (const std::exception& error) {
          ADD_FAILURE() << "not an ordo::Error: " << error.what();
        }
        EXPECT_LT(processor_seconds() - start, 20) << "far more than any of them takes with sanitizers";
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ops, ExtremeIntegers, testing::ValuesIn(names_with_integers()),
                         [](const auto& info) { return info.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ExtremeIntegers);

TEST(RegistryIntegers, every_operation_says_which_integers_it_takes) {
  for (const OpInfo& op : ops())
    EXPECT_NE(op_integers().count(std::string(op.name)), ops_without_integers().count(std::string(op.name)))
        << op.name << " needs one of ORDO_OP_INTEGER and ORDO_OP_NO_INTEGERS";
}

}  // namespace
}  // namespace ordo::test::extreme_integers_test
