// The caching allocator: what it may keep, and that a kept block serves smaller requests.
#include <cmath>
#include <deque>
#include <random>

#include "tests/support/memory_caching.h"
#include "tests/support/op_samples.h"

namespace ordo::test::memory_test {
namespace {

class MemoryCache : public testing::Test {
  const MemoryCachingScope caching_{true};
};

/// Calls f(device) with nothing kept before and after.
void on_each_device(const std::function<void(Device)>& f) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    empty_cache(device);
    f(device);
    empty_cache(device);
  }
}

size_t held(Device device) {
  const MemoryStats now = memory_stats(device);
  return now.allocated_bytes + now.cached_bytes;
}

void use(size_t bytes, Device device) { detail::deallocate(detail::allocate(bytes, device), bytes, device); }

// Blocks of drawn sizes, of which `at_once` are alive: every size class is met, and none often.
struct Traffic {
  Device device;
  size_t at_once;
  std::mt19937 random{7};
  std::deque<std::pair<void*, size_t>> live{};

  void step() {
    const double exponent = std::uniform_real_distribution<double>(6, 22)(random);
    const size_t bytes = size_t(std::exp2(exponent));
    live.emplace_back(detail::allocate(bytes, device), bytes);
    if (live.size() > at_once) free_oldest();
  }
  void free_oldest() {
    detail::deallocate(live.front().first, live.front().second, device);
    live.pop_front();
  }
  ~Traffic() {
    while (!live.empty()) free_oldest();
  }
};

TEST_F(MemoryCache, holds_at_most_twice_the_greatest_use_and_the_slack) {
  on_each_device([](Device device) {
    for (size_t at_once : {1, 4, 20}) {
      empty_cache(device);
      reset_peak_memory_stats(device);
      Traffic traffic{device, at_once};
      for (int i = 0; i < 3000; ++i) {
        traffic.step();
        ASSERT_LE(held(device), 2 * memory_stats(device).peak_allocated_bytes + kMemoryCacheSlack)
            << at_once << " blocks at once, step " << i;
      }
    }
  });
}

TEST_F(MemoryCache, what_was_used_lately_is_kept) {
  on_each_device([](Device device) {
    // Blocks that no kept one serves, many times more than the cache may hold, and one that is used again and again.
    const size_t often = size_t(1) << 20;
    use(often, device);
    for (size_t bytes = size_t(4) << 20; bytes < size_t(12) << 20; bytes += bytes / 8) {
      use(bytes, device);
      const uint64_t before = memory_stats(device).device_allocations;
      use(often, device);
      EXPECT_EQ(memory_stats(device).device_allocations, before) << "beside " << bytes;
    }
    EXPECT_LE(held(device), 2 * (memory_stats(device).allocated_bytes + (size_t(12) << 20)) + kMemoryCacheSlack);
  });
}

TEST_F(MemoryCache, a_larger_block_serves_and_goes_back_to_its_own_size) {
  on_each_device([](Device device) {
    const size_t large = size_t(3) << 19, small = size_t(1) << 20, least = size_t(1) << 19;
    const MemoryStats before = memory_stats(device);
    void* const first = detail::allocate(large, device);
    detail::deallocate(first, large, device);
    void* const again = detail::allocate(small, device);
    EXPECT_EQ(again, first) << "half larger is near enough";
    EXPECT_EQ(memory_stats(device).allocated_bytes - before.allocated_bytes, large) << "blocks are counted";
    detail::deallocate(again, small, device);
    EXPECT_EQ(memory_stats(device).cached_bytes, large);
    void* const third = detail::allocate(large, device);
    EXPECT_EQ(third, first);
    detail::deallocate(third, large, device);
    EXPECT_EQ(memory_stats(device).device_allocations, before.device_allocations + 1);
    use(least, device);
    EXPECT_EQ(memory_stats(device).device_allocations, before.device_allocations + 2)
        << "a block of three times the size does not serve";
  });
}

TEST_F(MemoryCache, emptying_it_forgets_the_greatest_use) {
  for (Device device : test_devices())
    for (bool reset : {false, true}) {
      empty_cache(device);
      const size_t much = size_t(64) << 20;
      use(much, device);
      EXPECT_EQ(held(device), memory_stats(device).allocated_bytes + much) << device.str();
      if (reset) reset_peak_memory_stats(device);
      empty_cache(device);
      if (!reset) {
        EXPECT_GE(memory_stats(device).peak_allocated_bytes, much) << device.str() << ": the peak is not forgotten";
      }
      reset_peak_memory_stats(device);
      EXPECT_EQ(memory_stats(device).peak_allocated_bytes, memory_stats(device).allocated_bytes) << device.str();
      for (size_t bytes = size_t(1) << 20; bytes < size_t(8) << 20; bytes += bytes / 8) use(bytes, device);
      EXPECT_LE(held(device), 2 * memory_stats(device).peak_allocated_bytes + kMemoryCacheSlack) << device.str();
    }
}

TEST_F(MemoryCache, resetting_the_peak_gives_nothing_back) {
  on_each_device([](Device device) {
    const auto use_many = [&] {
      for (size_t bytes = size_t(1) << 20; bytes <= size_t(6) << 20; bytes += bytes / 8) use(bytes, device);
    };
    use(size_t(64) << 20, device);
    reset_peak_memory_stats(device);
    use_many();
    const uint64_t before = memory_stats(device).device_allocations;
    use_many();
    use(size_t(64) << 20, device);
    EXPECT_EQ(memory_stats(device).device_allocations, before);
  });
}

// So that what watches memory sees every block: ORDO_NO_MEMORY_CACHING=1.
TEST(MemoryWithoutCache, blocks_come_from_the_system_and_go_back_at_once) {
  const MemoryCachingScope caching(false);
  on_each_device([](Device device) {
    const MemoryStats before = memory_stats(device);
    const size_t bytes = (size_t(1) << 20) + 128;  // a kept block would be an eighth larger
    for (int i = 0; i < 3; ++i) {
      void* const data = detail::allocate(bytes, device);
      EXPECT_EQ(memory_stats(device).allocated_bytes - before.allocated_bytes, bytes);
      detail::deallocate(data, bytes, device);
    }
    EXPECT_EQ(memory_stats(device).device_allocations - before.device_allocations, 3u);
    EXPECT_EQ(memory_stats(device).allocated_bytes, before.allocated_bytes);
    EXPECT_EQ(memory_stats(device).cached_bytes, before.cached_bytes);
  });
}

TEST(MemoryWithoutCache, a_block_goes_back_to_where_it_came_from) {
  on_each_device([](Device device) {
    const size_t bytes = 5000;
    void *kept = nullptr, *uncached = nullptr;
    {
      const MemoryCachingScope caching(true);
      kept = detail::allocate(bytes, device);
    }
    {
      const MemoryCachingScope caching(false);
      uncached = detail::allocate(bytes, device);
      detail::deallocate(kept, bytes, device);
    }
    EXPECT_GT(memory_stats(device).cached_bytes, bytes);
    const size_t cached = memory_stats(device).cached_bytes;
    detail::deallocate(uncached, bytes, device);
    EXPECT_EQ(memory_stats(device).cached_bytes, cached);
  });
}

}  // namespace
}  // namespace ordo::test::memory_test
