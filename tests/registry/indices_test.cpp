// Operations that take indices: the same result for int32 and int64, one run that holds everything, and empty runs. All
// sizes; agreement with the reference and between the devices, gradients included.
#include <algorithm>

#include "tests/support/derived_inputs.h"
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

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
}  // namespace ordo::test
