// The forms that kernels take for large data, on small data: sizes at which forms change are divided. In every dtype,
// and at every level: the bytes of the CPU at device_to_device, by every ordered algorithm; and at not_guaranteed
// numbers that are near.
#include <algorithm>

#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::registry_forms_test {
namespace {

class RegistryForms : public RegistryTest {};

/// Operations that add to destinations.
std::vector<std::string> accumulating() {
  std::vector<std::string> names = op_names();
  std::erase_if(names, [](const std::string& name) {
    const auto algorithms = find_op(name)->algorithms;
    return std::none_of(algorithms.begin(), algorithms.end(),
                        [](const AlgorithmLevel& a) { return a.algorithm == Algorithm::exact; });
  });
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, RegistryForms, testing::ValuesIn(accumulating()),
                         [](const auto& info) { return info.param; });

/// Divided a little, blocks have sums of their own, of a few elements; divided by all, every size is a large one.
constexpr int64_t kShrinks[] = {256, int64_t(1) << 32};

TEST_P(RegistryForms, agree) {
  if (!has_cuda()) GTEST_SKIP() << "has no CUDA implementation here";
  int turn = 0;
  std::vector<std::pair<int64_t, Sample>> all;
  for (const Sample& sample : samples_) all.emplace_back(64, sample);
  for (int64_t n : {33, 129})
    for (const Sample& sample : sized(n)) all.emplace_back(n, sample);
  for (const auto& [items, sample] : all)
    for (DType dtype : tested_dtypes(*op_, sample)) {
      const TensorList here = convert(sample.inputs, dtype, cpu), there = convert(sample.inputs, dtype, "cuda");
      SCOPED_TRACE(trace(sample, dtype, "cuda"));
      const DeterminismGuard guard(Determinism::device_to_device);
      const auto bytes = bytes_unless_refused(*op_, sample, here);
      if (!bytes) continue;
      const TensorList want = result_and_gradients(*op_, sample, here);
      for (int64_t shrink : kShrinks) {
        const ScheduleScope schedule(turn++ % schedule_seeds(), shrink);
        SCOPED_TRACE(schedule.str());
        EXPECT_EQ(difference(all_bytes(*op_, sample, there), *bytes), "") << "differs from the CPU";
        for (const AlgorithmLevel& a : op_->algorithms)
          if (sample.forced && a.level == Determinism::device_to_device) {
            std::optional<Tensor> by_cpu;
            try {
              by_cpu = sample.forced(here, a.algorithm);
            } catch (const ValueError&) {  // not for this dtype
              continue;
            }
            EXPECT_TRUE(bytes_of(sample.forced(there, a.algorithm)) == bytes_of(*by_cpu)) << name(a.algorithm);
          }
        const DeterminismGuard fast(Determinism::not_guaranteed);
        expect_near(result_and_gradients(*op_, sample, there), want, items, dtype);
      }
    }
}

}  // namespace
}  // namespace ordo::test::registry_forms_test
