// At the deterministic levels every operation gives the same bytes on every schedule; `atomic` does not, or it would
// not be what it says.
#include <set>

#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistrySchedules);

TEST_P(RegistrySchedules, same_bytes_over_repeats_and_schedules) {
  constexpr int kSeeds = 20;
  for (Determinism level : {Determinism::run_to_run, Determinism::device_to_device}) {
    const DeterminismGuard guard(level);
    for (const Sample& sample : samples_) {
      const DType dtype = floating_dtypes(*op_, sample)[0];
      for (Device device : devices()) {
        SCOPED_TRACE(trace(sample, dtype, device) + " " + std::string(name(level)));
        const TensorList inputs = convert(sample.inputs, dtype, device);
        std::set<Bytes> patterns;
        for (int i = 0; i < (device.is_cuda() ? kSeeds : 3); ++i) patterns.insert(all_bytes(*op_, sample, inputs));
        EXPECT_EQ(patterns.size(), 1u);
      }
    }
  }
}

TEST_P(RegistrySchedules, atomic_depends_on_the_schedule) {
  if (cuda::build() != "emulated") GTEST_SKIP() << "needs the emulator's schedules";
  const DeterminismGuard guard(Determinism::not_guaranteed);
  for (const Sample& sample : samples_) {
    if (!sample.order_sensitive) continue;
    SCOPED_TRACE(sample.label);
    const TensorList inputs = convert(sample.inputs, float32, "cuda");
    std::set<Bytes> patterns;
    for (int i = 0; i < 20; ++i) patterns.insert(all_bytes(*op_, sample, inputs));
    EXPECT_GT(patterns.size(), 1u) << "twenty schedules gave the same bytes: is this really the atomic path?";
  }
}

}  // namespace
}  // namespace ordo::test
