// Every operation's gradients against finite differences, of second order too; in checked builds on the CPU only:
// other tests run the same kernels.
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test {
namespace {

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
}  // namespace ordo::test
