// Loaders that deliver on a device: the same batches as without, whatever the order in which streams run, and memory
// that goes from batch to batch. On the emulated device, where queued copies and kernels run late, a wait that is
// missing gives other bytes.
#include <deque>
#include <thread>

#include <ordo/engine/memory/device_copies.h>
#include "tests/support/op_samples.h"
#include "tests/support/schedules.h"

namespace ordo::test::device_batches_test {
namespace {

using Bytes = std::vector<uint8_t>;

/// Sample i: numbers that are i, in few and in many elements, and none.
struct Rising : data::Dataset {
  int64_t size() const override { return 96; }
  data::Sample get(int64_t i) const override {
    return {from_vector<int64_t>({i}, {}), full({50}, double(i)), zeros({0})};
  }
};

data::DataLoaderOptions options(Device device, int64_t workers, int64_t prefetch) {
  data::DataLoaderOptions o{.batch_size = 4, .shuffle = true, .generator = Generator(7), .workers = workers};
  if (workers > 0) o.prefetch = prefetch;
  o.device = device;
  return o;
}

/// What two epochs give, which is only looked at when all of it has been queued.
std::vector<Bytes> results(data::DataLoader& loader, Device device) {
  TensorList queued;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const data::Batch& batch : loader) {
      for (const Tensor& t : batch.tensors) EXPECT_EQ(t.device(), device);
      queued.push_back(batch[1] * 2 + batch[0].unsqueeze(1));
      queued.push_back(batch[0] + batch[2].sum().to(int64));
    }
  std::vector<Bytes> all;
  for (const Tensor& t : queued) all.push_back(bytes_of(t));
  return all;
}

TEST(DeviceBatches, are_those_of_the_cpu) {
  data::DataLoader plain(Rising(), options(cpu, 0, 1));
  const std::vector<Bytes> expected = results(plain, cpu);
  ASSERT_EQ(expected.size(), 96u);
  for (Device device : test_devices())
    for (int schedule : all_schedules()) {
      const ScheduleScope scope(schedule);
      for (const auto& [workers, prefetch] : {std::pair(0, 1), {1, 1}, {1, 4}, {3, 2}}) {
        data::DataLoader loader(Rising(), options(device, workers, prefetch));
        EXPECT_EQ(results(loader, device), expected) << device.str() << " " << workers << " " << scope.str();
      }
    }
}

TEST(DeviceBatches, of_sets_in_memory_and_after_a_break) {
  const Tensor rows = test_values({64, 9}), labels = arange(64);
  for (Device device : test_devices()) {
    const auto run = [&](Device where, int64_t workers) {
      data::DataLoader loader(rows, labels, options(where, workers, 3));
      for (int k = 0; k < 5; ++k) {
        int64_t delivered = 0;
        for ([[maybe_unused]] auto [x, y] : loader)
          if (++delivered == k) break;
      }
      Bytes all;
      for (auto [x, y] : loader)
        for (const Bytes& b : {bytes_of(x), bytes_of(y)}) all.insert(all.end(), b.begin(), b.end());
      return all;
    };
    EXPECT_EQ(run(device, 2), run(cpu, 0));
  }
}

TEST(DeviceBatches, outlive_their_loader) {
  for (Device device : test_devices()) {
    TensorList kept;
    {
      data::DataLoader loader(Rising(), options(device, 2, 2));
      for (const data::Batch& batch : loader)
        kept.push_back(batch[1] - batch[0].unsqueeze(1)), kept.push_back(batch[1]);
    }
    for (size_t i = 0; i < kept.size(); i += 2) {
      EXPECT_EQ(bytes_of(kept[i]), bytes_of(zeros({4, 50})));
      EXPECT_EQ(kept[i + 1].select(1, 0).to(cpu).to_vector<float>(),
                kept[i + 1].select(1, 49).to(cpu).to_vector<float>());
    }
  }
}

TEST(DeviceBatches, errors) {
  EXPECT_ORDO_ERROR(data::DataLoader(Rising(), options("cuda:77", 1, 1)), DeviceError,
                    "[DataLoader] there is no device cuda:77");
  EXPECT_ORDO_ERROR(data::DataLoader(Rising(), options("cuda:77", 0, 1)), DeviceError, "cuda:77");
  EXPECT_ORDO_ERROR(ordo::detail::DeviceCopies{cpu}, DeviceError, "cpu");
}

// A block is used again when its tensor has been dropped: its copy has ended then, and so has what reads it.
TEST(DeviceCopies, blocks_go_from_copy_to_copy) {
  if (!cuda::is_available()) GTEST_SKIP();
  for (int schedule : all_schedules()) {
    const ScheduleScope scope(schedule);
    const ordo::detail::DeviceCopies copies("cuda");
    TensorList sums;
    std::deque<Tensor> held;
    for (int i = 0; i < 60; ++i) {
      ordo::detail::DeviceCopies::Copied copied;
      // By threads of their own, whose streams differ from time to time.
      std::thread([&] {
        Tensor host = full({64 + i % 3}, double(i));
        copied = copies.queue({host});
        host.fill_(-1);
      }).join();
      held.push_back(copies.take(std::move(copied))[0]);
      sums.push_back(held.back() + 1);
      if (held.size() > 2) held.pop_front();
    }
    EXPECT_LE(copies.blocks(), 4u);
    for (int i = 0; i < 60; ++i)
      EXPECT_EQ(bytes_of(sums[size_t(i)]), bytes_of(full({64 + i % 3}, double(i + 1)))) << i << " " << scope.str();
  }
}

// Nobody waits for a copy that nobody takes, and its memory is used again all the same.
TEST(DeviceCopies, copies_that_are_dropped) {
  if (!cuda::is_available()) GTEST_SKIP();
  for (int schedule : all_schedules()) {
    const ScheduleScope scope(schedule);
    const ordo::detail::DeviceCopies copies("cuda");
    for (int i = 0; i < 10; ++i) copies.queue({full({100}, -1.0)});
    const Tensor t = copies.take(copies.queue({full({100}, double(schedule))}))[0];
    EXPECT_EQ(bytes_of(t), bytes_of(full({100}, double(schedule)))) << scope.str();
    EXPECT_EQ(copies.blocks(), 1u);
  }
}

}  // namespace
}  // namespace ordo::test::device_batches_test
