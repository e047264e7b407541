// A result depends on the values of its inputs, not on where they lie: strided inputs, and inputs expanded over a
// dimension. Gradients are included, and come in the same layouts. An operand that broadcasts is one that was expanded.
#include <algorithm>

#include "tests/support/derived_inputs.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test::layouts_test {
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

TEST_P(RegistryLayouts, broadcasting) {
  if (op_->family != "elementwise" || op_->name.ends_with('_')) return;
  for (const Sample& sample : samples_) {
    const TensorList inputs = convert(sample.inputs, floating_dtypes(*op_, sample)[0], cpu);
    for (size_t i = 0; inputs.size() > 1 && i < inputs.size(); ++i)
      for (int d = 0; d < inputs[i].dim(); ++d) {
        TensorList one = inputs, all = inputs;
        one[i] = inputs[i].narrow(d, 0, std::min<int64_t>(1, inputs[i].size(d)));
        all[i] = one[i].expand(inputs[i].sizes());
        const Tensor want = sample.run(all);
        try {
          const Tensor got = sample.run(one);
          if (got.sizes() == want.sizes()) {
            EXPECT_EQ(bytes_of(got), bytes_of(want)) << sample.label << ", dimension " << d << " of input " << i;
          }
        } catch (const ShapeError&) {
        }
      }
  }
}

// Operations that take indices: the same result for int32 and int64, one run that holds everything, and empty runs. All
// sizes; agreement with the reference and between the devices, gradients included.
ORDO_REGISTRY_TEST(RegistryIndices);

void expect_right(const OpInfo& op, Sample sample, const std::vector<Device>& devices, const char* what,
                  Tensor (*change)(const Tensor&)) {
  sample.label += std::string(" ") + what;
  sample.inputs = each(sample.inputs, change);
  sample.tolerance *= 16;  // one destination collects what the sample spread
  const DType dtype = floating_dtypes(op, sample)[0];
  const TensorList inputs = convert(sample.inputs, dtype, cpu);
  Bytes on_cpu;
  for (Device device : devices) {
    SCOPED_TRACE(trace(sample, dtype, device));
    const TensorList there = convert(sample.inputs, dtype, device);
    {
      const DeterminismGuard guard(Determinism::device_to_device);
      const Bytes bytes = all_bytes(op, sample, there);
      if (device.is_cpu()) on_cpu = bytes;
      EXPECT_EQ(difference(bytes, on_cpu), "") << "differs from the CPU";
    }
    if (sample.reference) {
      const DeterminismGuard guard(Determinism::not_guaranteed);
      expect_close(sample.run(there), sample.reference(convert(inputs, float64, cpu)), sample, dtype);
    }
  }
}

TEST_P(RegistryIndices, every_kind) {
  std::vector<Sample> samples = samples_;
  for (int64_t n : tested_sizes())
    for (Sample& s : sized(n)) samples.push_back(std::move(s));
  for (const Sample& sample : samples) {
    if (!std::any_of(sample.inputs.begin(), sample.inputs.end(), is_index)) continue;
    expect_right(*op_, sample, devices(), "other width", other_width);
    expect_right(*op_, sample, devices(), "one run", one_run);
    expect_right(*op_, sample, devices(), "empty runs", empty_runs);
  }
}

}  // namespace
}  // namespace ordo::test::layouts_test
