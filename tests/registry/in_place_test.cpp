// Whatever is changed in place between an operation and its gradients, an input, a result or a gradient: they are those
// of what was there before, or the backward pass refuses. The tape is one for all devices.
#include "tests/support/changed_in_place.h"

namespace ordo::test::in_place_test {
namespace {

ORDO_REGISTRY_TEST(RegistryInPlace);

TEST_P(RegistryInPlace, changes_are_noticed_where_they_matter) {
  if (!op_->differentiable) return;
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    if (!sample.gradient || !any_floating(sample.inputs)) continue;
    SCOPED_TRACE(trace(sample, float64, cpu));
    const TensorList inputs = convert(sample.inputs, float64, cpu);
    for (const Change when : kChanges) {
      const ChangedRun unchanged = run_with_change(*op_, sample, inputs, when, kNoTensor);
      if (!unchanged.bytes) {  // the operation says that its gradient cannot be differentiated
        EXPECT_FALSE(sample.second_order) << name_of(when) << " is refused though nothing was changed";
        continue;
      }
      for (size_t which = 0; which < unchanged.tensors; ++which) {
        const ChangedRun changed = run_with_change(*op_, sample, inputs, when, which);
        if (!changed.bytes) continue;
        EXPECT_EQ(difference(*changed.bytes, *unchanged.bytes), "")
            << name_of(when) << " does not notice that tensor " << which << " of " << unchanged.tensors
            << " was changed: inputs first, then results";
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test::in_place_test
