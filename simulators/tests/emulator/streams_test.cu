// Work on streams waits until somebody synchronises, and then runs in any order that the program allows: what forgets
// to wait gives wrong or different bytes, what waits gives one result.
#include <ordo/engine/cuda/cuda.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <future>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/index/index_add.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/engine/calls/error.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/run/emulation.h>
#include <ordo/engine/tensor/tensor_impl.h>

#include "tests/engine/cuda/device_array.h"
#include "tests/support/memory_caching.h"
#include "tests/support/op_samples.h"

#if ORDO_EMULATED
#include <ordo/simulators/emulator/streams.h>
#endif

namespace ordo::cuda {
namespace {

using test::kCuda;
constexpr int kCount = 100;

/// A stream and an event of its own.
struct Lane {
  explicit Lane(unsigned flags = cudaStreamNonBlocking) {
    check(cudaStreamCreateWithFlags(&stream, flags), "stream");
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  }
  ~Lane() {
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  void wait_for(const Lane& other) const {
    check(cudaEventRecord(other.event, other.stream), "record");
    check(cudaStreamWaitEvent(stream, other.event), "wait");
  }
  cudaStream_t stream;
  cudaEvent_t event;
};

/// Device memory of kCount ints, all `value`, settled.
struct Buffer {
  explicit Buffer(int value) {
    check(cudaMalloc(&data, kCount * sizeof(int)), "memory");
    const std::vector<int> all(kCount, value);
    check(cudaMemcpy(data, all.data(), kCount * sizeof(int), cudaMemcpyHostToDevice), "copy");
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  int* data;
};

__global__ void add_kernel(const int* from, int* to, int v) {
  for (int64_t i = thread_index(); i < kCount; i += thread_count()) to[i] = from[i] + v;
}
void queue_add(const Lane& lane, const int* from, int* to, int v) {
  launch(add_kernel, dim3(2), dim3(32), 0, lane.stream, from, to, v);
}
std::vector<int> read(const Lane& lane, const int* from) {
  std::vector<int> out(kCount, -1);
  check(cudaMemcpyAsync(out.data(), from, kCount * sizeof(int), cudaMemcpyDeviceToHost, lane.stream), "copy");
  return out;
}

class StreamsTest : public testing::Test {
 protected:
  const Schedule before_ = schedule();
  const test::MemoryCachingScope caching_{true};  // what goes back to the device waits for it

  void SetUp() override {
    if (!is_simulated()) GTEST_SKIP() << "hardware chooses the order of streams by itself";
    take_turns("random");
  }
  void TearDown() override { set_schedule(before_); }

  static void take_turns(const std::string& order, uint64_t seed = 1, bool eager = false) {
    set_schedule({.seed = seed, .order = order, .eager = eager});
#if ORDO_EMULATED
    emulator::options().eager = eager;  // also with the checkers of memory
#endif
  }
  /// Whether the checkers of memory are here, which do not know the order of streams.
  bool checks_memory() const { return before_.eager; }

  template <class Run>
  std::set<std::vector<int>> results(Run run) {
    std::set<std::vector<int>> all;
    for (const std::string order : {"random", "forward", "reverse"})
      for (uint64_t seed = 1; seed <= (order == "random" ? 20 : 1); ++seed) {
        take_turns(order, seed);
        all.insert(run());
      }
    return all;
  }
};

// 1 -> 11 on one stream, -> 111 on another.
std::vector<int> across_two_streams(bool wait) {
  const Lane first, second;
  const Buffer a(1), b(0), c(0);
  queue_add(first, a.data, b.data, 10);
  if (wait) second.wait_for(first);
  queue_add(second, b.data, c.data, 100);
  return read(second, c.data);
}
TEST_F(StreamsTest, missing_event_wait_shows) {
  EXPECT_EQ(results([] { return across_two_streams(true); }), (std::set{std::vector<int>(kCount, 111)}));
  EXPECT_EQ(results([] { return across_two_streams(false); }).size(), 2u);
}
TEST_F(StreamsTest, reverse_order_does_nothing_that_nobody_waits_for) {
  take_turns("reverse");
  EXPECT_EQ(across_two_streams(false), std::vector<int>(kCount, 100));
  take_turns("reverse", 1, true);
  EXPECT_EQ(across_two_streams(false), std::vector<int>(kCount, 111));
}

// A buffer is filled again while another stream may still read it.
std::vector<int> reused_buffer(bool wait) {
  const Lane reader, writer;
  const Buffer shared(1), other(5), out(0);
  queue_add(reader, shared.data, out.data, 10);
  if (wait) writer.wait_for(reader);
  queue_add(writer, other.data, shared.data, 0);
  check(cudaStreamSynchronize(writer.stream), "synchronize");
  return read(reader, out.data);
}
TEST_F(StreamsTest, buffer_reused_too_early_shows) {
  EXPECT_EQ(results([] { return reused_buffer(true); }), (std::set{std::vector<int>(kCount, 11)}));
  EXPECT_EQ(results([] { return reused_buffer(false); }).size(), 2u);
}

TEST_F(StreamsTest, an_event_marks_what_was_queued_before_it) {
  const auto run = [] {
    const Lane first, second;
    const Buffer a(1), b(0), c(0);
    queue_add(first, a.data, b.data, 10);
    second.wait_for(first);
    queue_add(first, a.data, b.data, 20);  // nobody waits for this
    queue_add(second, b.data, c.data, 100);
    return read(second, c.data);
  };
  EXPECT_EQ(results(run), (std::set{std::vector<int>(kCount, 111), std::vector<int>(kCount, 121)}));
  const Lane lane;
  check(cudaStreamWaitEvent(lane.stream, lane.event), "an event that marks nothing");
  check(cudaEventSynchronize(lane.event), "an event that marks nothing");
  const Buffer a(1), b(0);
  queue_add(lane, a.data, b.data, 1);
  check(cudaEventRecord(lane.event, lane.stream), "record");
  check(cudaEventSynchronize(lane.event), "synchronize");
  EXPECT_EQ(b.data[0], 2);  // the emulated device's memory is the host's
}

TEST_F(StreamsTest, host_memory_is_read_when_the_copy_runs_if_it_is_pinned) {
  int* pinned = nullptr;
  check(cudaMallocHost(reinterpret_cast<void**>(&pinned), kCount * sizeof(int)), "memory");
  std::vector<int> pageable(kCount);
  const auto copied_from = [](int* source, bool wait) {
    const Lane lane;
    const Buffer to(0);
    std::fill(source, source + kCount, 3);
    check(cudaMemcpyAsync(to.data, source, kCount * sizeof(int), cudaMemcpyHostToDevice, lane.stream), "copy");
    if (wait) check(cudaStreamSynchronize(lane.stream), "synchronize");
    std::fill(source, source + kCount, 4);
    return read(lane, to.data);
  };
  const std::set right{std::vector<int>(kCount, 3)};
  EXPECT_EQ(results([&] { return copied_from(pageable.data(), false); }), right);
  EXPECT_EQ(results([&] { return copied_from(pinned, true); }), right);
  EXPECT_NE(results([&] { return copied_from(pinned, false); }), right);

  // To pinned memory: there only after synchronising.
  const Lane lane;
  const Buffer from(7);
  pinned[0] = 0;
  check(cudaMemcpyAsync(pinned, from.data, kCount * sizeof(int), cudaMemcpyDeviceToHost, lane.stream), "copy");
  EXPECT_EQ(pinned[0], 0);
  check(cudaStreamSynchronize(lane.stream), "synchronize");
  EXPECT_EQ(pinned[0], 7);
  check(cudaFreeHost(pinned), "free");
}

TEST_F(StreamsTest, null_stream_waits_for_blocking_streams_only) {
  for (const unsigned flags : {unsigned(cudaStreamDefault), unsigned(cudaStreamNonBlocking)}) {
    const Lane lane(flags);
    const Buffer a(1), b(0);
    queue_add(lane, a.data, b.data, 1);
    std::vector<int> out(kCount);
    check(cudaMemcpy(out.data(), b.data, kCount * sizeof(int), cudaMemcpyDeviceToHost), "copy");
    EXPECT_EQ(out[0], flags == cudaStreamDefault ? 2 : 0);
  }
}

TEST_F(StreamsTest, what_is_freed_may_still_be_in_use) {
  const Lane lane;
  const Buffer b(0);
  {
    const Buffer a(1);
    queue_add(lane, a.data, b.data, 1);
  }
  EXPECT_EQ(read(lane, b.data)[0], 2);
}

TEST_F(StreamsTest, device_synchronise_waits_for_everything) {
  const Lane lane;
  const Buffer b(2);
  check(cudaMemsetAsync(b.data, 0, sizeof(int), lane.stream), "memset");
  EXPECT_EQ(b.data[0], 2);
  check(cudaDeviceSynchronize(), "synchronize");
  EXPECT_EQ(b.data[0], 0);
}

TEST_F(StreamsTest, long_queues_run) {
  const Lane lane;
  const Buffer a(0);
  for (int i = 0; i < 10000; ++i) queue_add(lane, a.data, a.data, 1);
  EXPECT_GT(a.data[0], 9000);
  EXPECT_EQ(read(lane, a.data), std::vector<int>(kCount, 10000));
}

#if ORDO_EMULATED
// As with Grace and HMM: the copy reads the source when it runs, which may be after cudaMemcpyAsync has returned.
TEST_F(StreamsTest, a_source_may_change_after_its_copy_also_if_the_device_reads_the_host_s_pages) {
  struct Restore {
    ~Restore() { emulator::options().reads_pageable = false; }
  } restore;
  emulator::options().reads_pageable = true;
  const Buffer to(0);
  std::vector<int> from(kCount, 1);
  backend::copy(to.data, kCuda, from.data(), cpu, kCount * sizeof(int));
  from.assign(kCount, 2);
  std::vector<int> out(kCount);
  backend::copy(out.data(), cpu, to.data, kCuda, kCount * sizeof(int));
  EXPECT_EQ(out, std::vector<int>(kCount, 1));
}
#endif

#if ORDO_EMULATED  // on other devices an error of a kernel stays
__global__ void divergent_kernel() {
  if (threadIdx.x < 32)
    __syncthreads();
  else
    __syncthreads();
}
TEST_F(StreamsTest, errors_surface_when_their_stream_is_waited_for) {
  const Lane bad, good;
  const auto wait_for = [](const Lane& lane) { check(cudaStreamSynchronize(lane.stream), "synchronize"); };
  for (int round = 0; round < 2; ++round) {
    launch(divergent_kernel, dim3(1), dim3(64), 0, bad.stream);
    EXPECT_NO_THROW(wait_for(good));
    EXPECT_ORDO_ERROR(wait_for(bad), CudaError, "[emulator] divergent __syncthreads");
    EXPECT_NO_THROW(wait_for(bad)) << "told once";
  }
  launch(divergent_kernel, dim3(1), dim3(64), 0, bad.stream);
  EXPECT_THROW(finish_queued_work(), CudaError);
  EXPECT_NO_THROW(finish_queued_work());
  launch(divergent_kernel, dim3(1), dim3(64), 0, bad.stream);
  EXPECT_ORDO_ERROR(check(cudaDeviceSynchronize(), "synchronize"), CudaError, "divergent");
  EXPECT_NO_THROW(wait_for(bad));
  EXPECT_ORDO_ERROR(launch(divergent_kernel, dim3(1), dim3(2048), 0, bad.stream), CudaError, "invalid configuration");
}
#endif

TEST_F(StreamsTest, a_restart_repeats_schedules) {
  const auto run = [] {
    std::vector<int> out;
    restart_schedule();
    for (int i = 0; i < 20; ++i) out.push_back(across_two_streams(false)[0]);
    return out;
  };
  const std::vector<int> first = run();
  EXPECT_EQ(run(), first);
  EXPECT_EQ(std::set<int>(first.begin(), first.end()).size(), 2u);
}

// -- the engine's streams: one for each thread ------------------------------------------------------------------------

// A block freed on one thread's stream while that may still use it, and what another thread allocates then.
TEST_F(StreamsTest, freed_memory_is_not_handed_to_another_stream) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  constexpr size_t kBytes = 4096;
  const auto run = [] {
    empty_cache(kCuda);
    const std::vector<int> ones(kBytes / sizeof(int), 1), twos(kBytes / sizeof(int), 2);
    void* mine = ordo::detail::allocate(kBytes, kCuda);
    ordo::detail::copy_bytes(mine, kCuda, ones.data(), cpu, kBytes);  // may still be under way
    ordo::detail::deallocate(mine, kBytes, kCuda);
    std::vector<int> seen(twos.size());
    std::thread([&] {
      void* theirs = ordo::detail::allocate(kBytes, kCuda);
      ordo::detail::copy_bytes(theirs, kCuda, twos.data(), cpu, kBytes);
      synchronize(kCuda);
      cudaDeviceSynchronize();
      ordo::detail::copy_bytes(seen.data(), cpu, theirs, kCuda, kBytes);
      ordo::detail::deallocate(theirs, kBytes, kCuda);
    }).join();
    return seen;
  };
  EXPECT_EQ(results(run), (std::set{std::vector<int>(kBytes / sizeof(int), 2)}));
}

TEST_F(StreamsTest, threads_queue_and_run_at_the_same_time) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  std::vector<std::thread> threads;
  std::vector<char> right(6, 0);
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([t, &right] {
      const Tensor start = full({kCount}, int(t), {.dtype = int32, .device = kCuda});
      Tensor sum = start;
      for (int i = 0; i < 100; ++i) sum = sum + start;
      right[t] = sum.to_vector<int>() == std::vector<int>(kCount, 101 * int(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<char>(6, 1));
}

// -- tensors that go from thread to thread: streams are ordered as the threads are ------------------------------------

/// Work of another thread, which lives as long as this: the end of a thread waits for its stream.
class Other {
 public:
  ~Other() {
    done_.set_value();
    thread_.join();
  }
  template <class F>
  void run(F f) {
    std::promise<void> ran;
    thread_ = std::thread([&, f] {
      f();
      ran.set_value();
      done_.get_future().wait();
    });
    ran.get_future().wait();
  }

 private:
  std::promise<void> done_;
  std::thread thread_;
};
Tensor filled(int value) { return full({kCount}, value, {.dtype = int32, .device = kCuda}); }

TEST_F(StreamsTest, another_thread_reads_what_was_queued) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  const auto run = [] {
    const Tensor zero = filled(0);
    { const Tensor other = zero + 7; }  // what the sum's memory holds, for those who come too early
    synchronize(kCuda);
    const Tensor sum = zero + 5;
    std::vector<int> seen;
    Other other;
    other.run([&] { seen = (sum + 1).to_vector<int>(); });
    return seen;
  };
  EXPECT_EQ(results(run), (std::set{std::vector<int>(kCount, 6)}));
}

TEST_F(StreamsTest, a_change_in_place_comes_after_what_another_thread_reads_and_before_what_it_reads_next) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  const auto run = [] {
    Tensor shared = filled(1);
    Tensor first, second;
    Other reader, later;
    reader.run([&] { first = shared + 10; });
    shared.add_(1);
    later.run([&] { second = shared + 10; });
    std::vector<int> seen = first.to_vector<int>();
    seen.push_back(second.to_vector<int>()[0]);
    return seen;
  };
  std::vector<int> right(kCount, 11);
  right.push_back(12);
  EXPECT_EQ(results(run), std::set{right});
}

TEST_F(StreamsTest, memory_is_not_used_again_while_another_thread_reads_it) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  const auto run = [] {
    Tensor shared = filled(1), copy;
    synchronize(kCuda);
    Other reader;
    reader.run([&] { copy = shared + 10; });
    shared = Tensor();
    const Tensor next = filled(50);
    synchronize(kCuda);
    std::vector<int> seen = copy.to_vector<int>();
    seen.push_back(next.to_vector<int>()[0]);
    return seen;
  };
  std::vector<int> right(kCount, 11);
  right.push_back(50);
  EXPECT_EQ(results(run), std::set{right});
}

TEST_F(StreamsTest, gradients_of_two_threads_meet) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  const auto run = [] {
    const Tensor weight = full({kCount}, 1.0, {.device = kCuda}).requires_grad_();
    Other other;
    other.run([&] { (weight * 3).sum().backward(); });
    (weight * 2).sum().backward();
    const std::vector<float> seen = weight.grad().to_vector<float>();
    return std::vector<int>(seen.begin(), seen.end());
  };
  EXPECT_EQ(results(run), (std::set{std::vector<int>(kCount, 5)}));
}

#if ORDO_EMULATED
// -- two devices ------------------------------------------------------------------------------------------------------

const Device kSecond(Device::Type::cuda, 1);

TEST_F(StreamsTest, a_stream_takes_the_work_of_its_own_device) {
  const Lane lane;
  const Buffer here(1);
  const DeviceScope scope(kSecond);
  EXPECT_ORDO_ERROR(queue_add(lane, here.data, here.data, 1), CudaError, "invalid resource handle");
  const Lane there;
  EXPECT_ORDO_ERROR(queue_add(there, here.data, here.data, 1), CudaError, "memory of another device");
  EXPECT_EQ(cudaMemsetAsync(here.data, 0, 4, lane.stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventRecord(there.event, lane.stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamWaitEvent(there.stream, lane.event), cudaSuccess) << "streams wait for other devices' events";
  cudaGetLastError();
  const Buffer own(1);
  queue_add(there, own.data, own.data, 1);
  EXPECT_EQ(read(there, own.data)[0], 2);
}

struct Padded {
  int* data;
  bool twice;  // and seven bytes that nobody sets
};
__global__ void add_padded_kernel(Padded p) {
  for (int64_t i = thread_index(); i < kCount; i += thread_count()) p.data[i] *= p.twice ? 2 : 1;
}

TEST_F(StreamsTest, old_pointers_in_padding_are_not_parameters) {
  const Buffer elsewhere(1);
  const DeviceScope scope(kSecond);
  const Lane lane;
  const Buffer own(2);
  Padded p;
  std::memcpy(reinterpret_cast<char*>(&p) + offsetof(Padded, twice), &elsewhere.data, sizeof elsewhere.data);
  p.data = own.data;
  p.twice = true;
  launch(add_padded_kernel, dim3(2), dim3(32), 0, lane.stream, p);
  EXPECT_EQ(read(lane, own.data)[0], 4);
}

TEST_F(StreamsTest, pointers_among_other_parameters_are_of_the_current_device) {
  const Buffer elsewhere(1);
  const DeviceScope scope(kSecond);
  const Lane lane;
  EXPECT_ORDO_ERROR(launch(add_padded_kernel, dim3(2), dim3(32), 0, lane.stream, Padded{elsewhere.data, true}),
                    CudaError, "memory of another device");
}

TEST_F(StreamsTest, devices_copy_directly) {
  const Tensor here = filled(3);
  const uint64_t before = emulator::bytes_between_devices_by_the_host();
  const Tensor there = here.to(kSecond);
  EXPECT_EQ(there.device(), kSecond);
  EXPECT_EQ((there + 1).to(kCuda).to_vector<int>(), std::vector<int>(kCount, 4));
  EXPECT_EQ(emulator::bytes_between_devices_by_the_host(), before);
}
#endif

TEST_F(StreamsTest, index_errors_reach_the_thread_that_made_them) {
  if (checks_memory()) GTEST_SKIP() << "checkers of memory do not know the order of streams";
  const auto queue_bad_index = [] {
    const Tensor source = zeros({2, 3}, {.device = kCuda});
    const Tensor index = from_vector(std::vector<int64_t>{0, 9}, {2}).to(kCuda);
    return index_add(zeros({4, 3}, {.device = kCuda}), 0, index, source);
  };
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    take_turns("random", seed);
    const Tensor kept = queue_bad_index();
    std::thread([] { EXPECT_NO_THROW(synchronize(kCuda)); }).join();
    EXPECT_THROW(synchronize(kCuda), IndexError);
    EXPECT_NO_THROW(synchronize(kCuda));
    std::thread([&] {
      const Tensor also_kept = queue_bad_index();
      EXPECT_THROW(synchronize(kCuda), IndexError);
    }).join();
    EXPECT_NO_THROW(synchronize(kCuda));
  }
}

}  // namespace
}  // namespace ordo::cuda
