// With AddressSanitizer, memory that the allocators hold but nobody may use is out of bounds, on every device.
#include <ordo/engine/tensor/tensor_impl.h>

#include "tests/support/op_samples.h"

extern "C" [[gnu::weak]] void __asan_init();  // null in programs without AddressSanitizer

namespace ordo::test::memory_annotations_test {
namespace {

class MemoryAnnotationsDeathTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!__asan_init) GTEST_SKIP() << "needs the build with AddressSanitizer (preset address)";
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // the thread pool does not survive a fork
  }
};

TEST_F(MemoryAnnotationsDeathTest, a_kernel_reads_one_past_a_tensor_s_end) {
  for (Device device : test_devices()) {
    const Tensor t = ones({5}, {.device = device});
    const Tensor longer = detail::make_tensor(t.impl()->storage, float32, {6}, {1}, 0);
    EXPECT_EQ(t.sum().item(), 5);
    EXPECT_DEATH(longer.sum(), "AddressSanitizer: use-after-poison") << device.str();
  }
}

TEST_F(MemoryAnnotationsDeathTest, a_kernel_writes_to_a_tensor_s_memory_after_it_was_freed) {
  for (Device device : test_devices()) {
    void* data = detail::allocate(400, device);
    detail::fill_pattern(data, 100, float32, device);
    detail::deallocate(data, 400, device);
    EXPECT_DEATH(detail::fill_pattern(data, 100, float32, device), "AddressSanitizer: use-after-poison");
  }
}

TEST_F(MemoryAnnotationsDeathTest, memory_that_is_used_again_is_in_bounds) {
  for (Device device : test_devices()) {
    for (int64_t n : {3, 100, 7, 64, 100, 63}) {
      void* data = detail::allocate(size_t(n) * 4, device);
      detail::fill_pattern(data, n, float32, device);
      detail::deallocate(data, size_t(n) * 4, device);
    }
    empty_cache(device);
  }
}

}  // namespace
}  // namespace ordo::test::memory_annotations_test
