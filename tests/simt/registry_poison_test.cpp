// Every element of a result and of a gradient is written: memory that held a pattern before and memory that held zeros
// give the same bytes. Few sizes in every dtype of the row, the samples in one dtype each, these in turn.
#include <ordo/engine/poison.h>
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

class RegistryPoisonBase : public RegistryTest {
 protected:
  void TearDown() override {
    detail::set_poison(before_);
    set_fill_uninitialized_memory(true);
    RegistryTest::TearDown();
  }

  void expect_written(const Sample& sample, DType dtype) const {
    for (Device device : devices()) {
      const auto run = [&](detail::Poison poison) {
        detail::set_poison(poison);
        return bytes_unless_refused(*op_, sample, convert(sample.inputs, dtype, device));
      };
      const auto with_pattern = run(detail::Poison::pattern), with_zeros = run(detail::Poison::zeros);
      if (with_pattern && with_zeros) {
        EXPECT_EQ(difference(*with_pattern, *with_zeros), "")
            << trace(sample, dtype, device) << ": what memory held before shows in the result";
      }
    }
  }

 private:
  detail::Poison before_ = detail::poison();
};

ORDO_REGISTRY_TEST_ON(RegistryPoison, RegistryPoisonBase);

TEST_P(RegistryPoison, every_element_is_written) {
  const DeterminismGuard guard(Determinism::device_to_device);
  set_fill_uninitialized_memory(false);
  for (int64_t n : few_sizes())
    for (const Sample& sample : sized(n))
      for (DType dtype : tested_dtypes(*op_, sample)) expect_written(sample, dtype);
  size_t turn = 0;
  for (const Sample& sample : samples_) {
    const auto dtypes = tested_dtypes(*op_, sample);
    expect_written(sample, dtypes[turn++ % dtypes.size()]);
  }
}

}  // namespace
}  // namespace ordo::test
