// Every operation agrees with a plain double-precision reference, on every device, in every floating dtype and at every
// level.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::reference_test {
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

// Every operation's gradients against finite differences, of second order too; in checked builds on the CPU only:
// other tests run the same kernels.
ORDO_REGISTRY_TEST(RegistryGradient);

TEST_P(RegistryGradient, agrees_with_finite_differences) {
  if (!op_->differentiable) return;
  for (const Sample& sample : samples_) {
    if (!sample.gradient || !any_floating(sample.inputs)) continue;
    for (Device device : devices()) {
      if (device.is_cuda() && checked_build()) continue;
      SCOPED_TRACE(trace(sample, float64, device));
      TensorList inputs = convert(sample.inputs, float64, device);
      for (Tensor& t : inputs)
        if (t.defined() && is_floating(t.dtype())) t = t.detach().clone().set_requires_grad();
      EXPECT_EQ(gradcheck(sample.run, inputs, {.second_order = sample.second_order && device.is_cpu()}), "");
    }
  }
}

}  // namespace
}  // namespace ordo::test::reference_test
