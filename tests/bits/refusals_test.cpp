// Every operation refuses what tests/bits/refusals.txt says, with the texts that it says (but for indices, on every
// device); errors name the operation. Tensors on two devices are refused, and running out of memory is an error of that
// kind.
#include "tests/bits/refusals.h"

#include "tests/support/memory_limit.h"
#include "tests/support/registry_test_base.h"
#include "tests/support/schedules.h"

namespace ordo::test::refusals_test {
namespace {

ORDO_REGISTRY_TEST(RegistryRefusals);

TEST_P(RegistryRefusals, are_those_of_the_file) {
  for (const Device device : devices()) {
    std::vector<std::string> unnamed;
    const Refusals got = refusals_of(*op_, device, unnamed);
    EXPECT_EQ(unnamed, std::vector<std::string>()) << device.str();
    // Checked builds have less memory, and so refuse other sizes.
    if (!checked_build()) {
      std::vector<std::string> differ = differences(got, refusals_written(*op_));
      // A kernel on a device finds indices where it uses them, and says so in words of its own.
      if (device.is_cuda()) std::erase_if(differ, [](const std::string& d) { return d.starts_with("IndexError"); });
      EXPECT_EQ(differ, std::vector<std::string>()) << device.str();
    }
  }
}

/// They bring a tensor, or indices and the values at them, to the device of another; ctc_loss reads lengths anyway.
bool joins_devices(std::string_view op, size_t input) {
  return op == "copy_" || op == "to" || op == "index" || op == "index_fill" || op == "index_put" ||
         (op == "ctc_loss" && input >= 2);
}

TEST_P(RegistryRefusals, tensors_on_two_devices) {
  if (!has_cuda()) return;
  for (const Sample& sample : samples_) {
    const DType dtype = floating_dtypes(*op_, sample)[0];
    const TensorList there = convert(sample.inputs, dtype, devices()[1]), here = convert(sample.inputs, dtype, cpu);
    for (size_t i = 0; there.size() > 1 && i < there.size(); ++i) {
      if (!there[i].defined() || joins_devices(GetParam(), i)) continue;
      TensorList inputs = there;
      inputs[i] = here[i];
      EXPECT_THROW((void)sample.run(inputs), DeviceError) << sample.label << ", input " << i;
    }
  }
}

TEST_P(RegistryRefusals, to_compute_without_memory) {
  for (const Sample& sample : samples_)
    for (const Device device : devices()) {
      const TensorList inputs = convert(sample.inputs, floating_dtypes(*op_, sample)[0], device);
      const MemoryLimit limit(0);
      try {
        (void)sample.run(inputs);
      } catch (const OutOfMemoryError&) {
      } catch (const std::exception& error) {
        ADD_FAILURE() << trace(sample, inputs.empty() ? float64 : inputs[0].dtype(), device) << ": " << error.what();
      }
    }
}

}  // namespace
}  // namespace ordo::test::refusals_test
