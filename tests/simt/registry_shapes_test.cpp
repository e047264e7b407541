// Every operation at the sizes around warps, blocks, tiles and ordered groups. How the product of sizes, dtypes, levels
// and schedules is thinned: every size runs in the row's first dtype (float32) and in one other, these in turn, at
// device_to_device; the first also at not_guaranteed, where the row has more than one algorithm. Schedules take turns.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::registry_shapes_test {
namespace {

ORDO_REGISTRY_TEST(RegistryShapes);

/// The first dtype, and the others in turn.
std::vector<DType> dtypes_in_turn(const OpInfo& op, const Sample& sample, size_t turn) {
  const auto all = dtypes_of(op, sample);
  if (all.size() < 2 || checked_build()) return {all[0]};
  return {all[0], all[1 + turn % (all.size() - 1)]};
}

TEST_P(RegistryShapes, agree) {
  size_t turn = 0;
  for (int64_t n : tested_sizes()) {
    for (const Sample& sample : sized(n)) {
      for (DType dtype : dtypes_in_turn(*op_, sample, turn++)) {
        const TensorList inputs = convert(sample.inputs, dtype, cpu);
        std::vector<double> reference;
        if (sample.reference && is_floating(dtype)) reference = sample.reference(convert(inputs, float64, cpu));
        std::optional<Bytes> on_cpu;
        for (Device device : devices()) {
          const ScheduleScope schedule(int(turn) % (schedule_seeds() + 4));
          SCOPED_TRACE(trace(sample, dtype, device) + " " + schedule.str());
          const TensorList there = convert(sample.inputs, dtype, device);
          {
            const DeterminismGuard guard(Determinism::device_to_device);
            const uint64_t before = order_dependent_operations();
            const auto bytes = bytes_unless_refused(*op_, sample, there);
            EXPECT_EQ(order_dependent_operations(), before) << "adds floating-point numbers in no fixed order";
            if (device.is_cpu()) on_cpu = bytes;
            if (!on_cpu) break;
            ASSERT_TRUE(bytes) << "is refused, but not on the CPU";
            EXPECT_EQ(difference(*bytes, *on_cpu), "") << "differs from the CPU";
            if (device.is_cpu() && sample.reference && is_floating(dtype))
              expect_close(sample.run(there), reference, sample, dtype);
          }
          if (sample.reference && dtype == dtypes_of(*op_, sample)[0] && op_->algorithms.size() > 1) {
            const DeterminismGuard guard(Determinism::not_guaranteed);
            expect_close(sample.run(there), reference, sample, dtype);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test::registry_shapes_test
