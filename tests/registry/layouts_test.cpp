// A result depends on the values of its inputs, not on where they lie: strided inputs, and inputs expanded over a
// dimension. Gradients are included, and come in the same layouts.
#include "tests/support/derived_inputs.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryLayouts);

/// `change` makes the laid out input of a plain one.
void expect_layout_is_free(const OpInfo& op, const Sample& sample, const std::vector<Device>& devices,
                           const char* layout, const std::function<Tensor(const Tensor&)>& change) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const DType dtype = floating_dtypes(op, sample)[0];
  const TensorList on_cpu = each(convert(sample.inputs, dtype, cpu), change);
  const Bytes want = all_bytes(op, sample, each(on_cpu, packed));
  for (Device device : devices) {
    const TensorList inputs = each(convert(sample.inputs, dtype, device), change);
    EXPECT_EQ(difference(all_bytes(op, sample, inputs), want), "")
        << trace(sample, dtype, device) << ": " << layout << " inputs change the bits";
  }
}

void expect_layouts_are_free(const OpInfo& op, const Sample& sample, const std::vector<Device>& devices) {
  expect_layout_is_free(op, sample, devices, "strided", strided_copy);
  expect_layout_is_free(op, sample, devices, "expanded", [](const Tensor& t) { return expanded(t, 0); });
  expect_layout_is_free(op, sample, devices, "inwardly expanded", [](const Tensor& t) { return expanded(t, -1); });
}

TEST_P(RegistryLayouts, samples) {
  for (const Sample& sample : samples_) expect_layouts_are_free(*op_, sample, devices());
}

TEST_P(RegistryLayouts, sizes) {
  for (int64_t n : few_sizes())
    for (const Sample& sample : sized(n)) expect_layouts_are_free(*op_, sample, devices());
}

}  // namespace
}  // namespace ordo::test
