// Every operation agrees with a plain double-precision reference, on every device, in every floating dtype and at every
// level.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryReference);

TEST_P(RegistryReference, agrees) {
  for (const Sample& sample : samples_) {
    if (!sample.reference) continue;
    auto dtypes = floating_dtypes(*op_, sample);
    if (checked_build()) dtypes.resize(1);
    for (DType dtype : dtypes) {
      const TensorList rounded = convert(convert(sample.inputs, dtype, cpu), float64, cpu);
      const auto want = sample.reference(rounded);
      for (Device device : devices()) {
        for (Determinism level :
             {Determinism::not_guaranteed, Determinism::run_to_run, Determinism::device_to_device}) {
          SCOPED_TRACE(trace(sample, dtype, device) + " " + std::string(name(level)));
          const DeterminismGuard guard(level);
          expect_close(sample.run(convert(sample.inputs, dtype, device)), want, sample, dtype);
        }
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test
