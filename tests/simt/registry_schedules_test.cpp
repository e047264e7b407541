// At the deterministic levels every operation, gradients included, gives the same bytes on every schedule, without a
// float atomic or a collective with an order of its own; at device_to_device they are the CPU's. `atomic` gives
// different bytes, or it would not be what it says.
//
// How the product of samples, sizes, levels and schedules is thinned: two sizes run under all schedules, the samples
// under few, and these at run_to_run too; in the first dtype of the row (float32). registry_shapes_test.cpp runs every
// size under one schedule each.
#include <set>

#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::registry_schedules_test {
namespace {

ORDO_REGISTRY_TEST(RegistrySchedules);

/// `want` is empty when the bytes need only be the same.
void expect_one_result(const OpInfo& op, const Sample& sample, Device device, const std::vector<int>& schedules,
                       Bytes want) {
  const DType dtype = floating_dtypes(op, sample)[0];
  SCOPED_TRACE(trace(sample, dtype, device) + " " + std::string(name(determinism())));
  const TensorList inputs = convert(sample.inputs, dtype, device);
  for (int i : schedules) {
    const ScheduleScope schedule(i);
    const uint64_t before = order_dependent_operations();
    const Bytes bytes = all_bytes(op, sample, inputs);
    EXPECT_EQ(order_dependent_operations(), before) << "adds floating-point numbers in no fixed order";
    if (want.empty()) want = bytes;
    ASSERT_EQ(difference(bytes, want), "") << schedule.str();
  }
}

Bytes on_the_cpu(const OpInfo& op, const Sample& sample) {
  return all_bytes(op, sample, convert(sample.inputs, floating_dtypes(op, sample)[0], cpu));
}

TEST_P(RegistrySchedules, run_to_run) {
  const DeterminismGuard guard(Determinism::run_to_run);
  for (const Sample& sample : samples_)
    for (Device device : devices()) expect_one_result(*op_, sample, device, few_schedules(), {});
}

TEST_P(RegistrySchedules, device_to_device) {
  if (!has_cuda()) GTEST_SKIP() << "has no CUDA implementation here";
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_)
    expect_one_result(*op_, sample, "cuda", few_schedules(), on_the_cpu(*op_, sample));
  for (int64_t n : {33, 257})
    for (const Sample& sample : sized(n))
      expect_one_result(*op_, sample, "cuda", all_schedules(), on_the_cpu(*op_, sample));
}

TEST_P(RegistrySchedules, atomic_depends_on_the_schedule) {
  if (!cuda::is_simulated()) GTEST_SKIP() << "needs the schedules of a simulated device";
  const DeterminismGuard guard(Determinism::not_guaranteed);
  for (const Sample& sample : samples_) {
    if (!sample.order_sensitive) continue;
    SCOPED_TRACE(sample.label);
    const TensorList inputs = convert(sample.inputs, float32, "cuda");
    const uint64_t before = order_dependent_operations();
    std::set<Bytes> automatic, forced;
    for (int i = 0; i < schedule_seeds(); ++i) {
      const ScheduleScope schedule(i);
      automatic.insert(all_bytes(*op_, sample, inputs));
      forced.insert(bytes_of(sample.forced(inputs, Algorithm::atomic)));
    }
    EXPECT_GT(order_dependent_operations(), before);
    EXPECT_GT(automatic.size(), 1u) << "every schedule gave the same bytes: is this really the atomic path?";
    EXPECT_GT(forced.size(), 1u) << "every schedule gave the same bytes: is this really the atomic path?";
  }
}

TEST_P(RegistrySchedules, ordered_algorithms_give_one_result) {
  if (!has_cuda()) GTEST_SKIP() << "has no CUDA implementation here";
  for (const Sample& sample : samples_) {
    if (!sample.forced || !any_floating(sample.inputs)) continue;
    const TensorList inputs = convert(sample.inputs, float32, "cuda");
    for (const AlgorithmLevel& a : op_->algorithms) {
      if (a.level != Determinism::device_to_device) continue;
      SCOPED_TRACE(sample.label + " " + std::string(name(a.algorithm)));
      std::set<Bytes> patterns;
      const uint64_t before = order_dependent_operations();
      for (int i : all_schedules()) {
        const ScheduleScope schedule(i);
        patterns.insert(bytes_of(sample.forced(inputs, a.algorithm)));
      }
      EXPECT_EQ(patterns.size(), 1u);
      EXPECT_EQ(order_dependent_operations(), before) << "adds floating-point numbers in no fixed order";
    }
  }
}

}  // namespace
}  // namespace ordo::test::registry_schedules_test
