// At device_to_device every operation and its gradients give the same bytes on every device and with every number of
// threads, in every dtype of its row.
#include "tests/support/registry_test_base.h"

namespace ordo::test {
namespace {

ORDO_REGISTRY_TEST(RegistryBytes);

TEST_P(RegistryBytes, same_on_every_device_and_thread_count) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    for (DType dtype : tested_dtypes(*op_, sample)) {
      set_num_threads(1);
      const TensorList inputs = convert(sample.inputs, dtype, cpu);
      const auto want = bytes_unless_refused(*op_, sample, inputs);
      if (!want) continue;
      for (int threads : {2, 3}) {
        set_num_threads(threads);
        EXPECT_EQ(difference(all_bytes(*op_, sample, inputs), *want), "")
            << trace(sample, dtype, cpu) << ": " << threads << " threads change the bits";
      }
      for (Device device : devices()) {
        if (device.is_cpu()) continue;
        EXPECT_EQ(difference(all_bytes(*op_, sample, convert(sample.inputs, dtype, device)), *want), "")
            << trace(sample, dtype, device) << ": differs from the CPU";
      }
    }
  }
}

}  // namespace
}  // namespace ordo::test
