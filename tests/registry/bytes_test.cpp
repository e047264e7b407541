// At device_to_device every operation, its gradients and their gradients give the same bytes on every device and with
// every number of threads, in every dtype of its row, also while another thread of the program computes.
#include <atomic>
#include <thread>

#include "tests/support/registry_test_base.h"

namespace ordo::test::bytes_test {
namespace {

ORDO_REGISTRY_TEST(RegistryBytes);

/// A thread that computes all the time, and takes its share of the threads.
class BusyThread {
 public:
  BusyThread()
      : thread_([this] {
          std::vector<float> v(4096, 1);
          while (!stop_)
            parallel_for(0, 4096, 64, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) v[size_t(i)] = v[size_t(i)] * 0.5f + 1;
            });
        }) {}
  ~BusyThread() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_P(RegistryBytes, same_on_every_device_and_thread_count) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (const Sample& sample : samples_) {
    for (DType dtype : tested_dtypes(*op_, sample)) {
      set_num_threads(1);
      const TensorList inputs = convert(sample.inputs, dtype, cpu);
      const auto want = bytes_unless_refused(*op_, sample, inputs, Gradients::second);
      if (!want) continue;
      for (int threads : {2, 3}) {
        set_num_threads(threads);
        EXPECT_EQ(difference(all_bytes(*op_, sample, inputs, Gradients::second), *want), "")
            << trace(sample, dtype, cpu) << ": " << threads << " threads change the bits";
      }
      if (dtype == float32) {
        const BusyThread busy;
        EXPECT_EQ(difference(all_bytes(*op_, sample, inputs, Gradients::second), *want), "")
            << trace(sample, dtype, cpu) << ": a second busy thread changes the bits";
      }
      for (Device device : devices()) {
        if (device.is_cpu()) continue;
        EXPECT_EQ(difference(all_bytes(*op_, sample, convert(sample.inputs, dtype, device), Gradients::second), *want),
                  "")
            << trace(sample, dtype, device) << ": differs from the CPU";
      }
    }
  }
}

// A stream and its kernels are of one device, and so is memory. The first device stays the thread's current one.
TEST_P(RegistryBytes, same_on_the_second_gpu) {
  if (cuda::device_count() < 2) GTEST_SKIP() << "there is one GPU, or none";
  const DeterminismGuard guard(Determinism::device_to_device);
  const Sample& sample = samples_[0];
  const DType dtype = tested_dtypes(*op_, sample)[0];
  const auto want = bytes_unless_refused(*op_, sample, convert(sample.inputs, dtype, cpu), Gradients::first);
  if (!want) return;
  const Device second(Device::Type::cuda, 1);
  EXPECT_EQ(difference(all_bytes(*op_, sample, convert(sample.inputs, dtype, second), Gradients::first), *want), "")
      << trace(sample, dtype, second);
}

}  // namespace
}  // namespace ordo::test::bytes_test
