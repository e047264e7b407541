// Collectives: samples, as of one process, and jobs of several.
#include <atomic>
#include <thread>

#include <ordo/engine/distributed/world.h>
#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"
#include "tests/support/thread_job.h"

namespace ordo::test::collectives_samples_test {
namespace {

using distributed::ReduceOp;

/// A process alone gets a copy.
Sample sample_of(const Dims& sizes, const std::function<Tensor(const Tensor&)>& f) {
  return {.label = sizes.str(),
          .inputs = {test_values(sizes)},
          .run = [f](const TensorList& in) { return f(in[0]); },
          .reference = [](const TensorList& in) { return in[0].to_vector<double>(); },
          .gradient = sizes.product() < 100};
}
#define COLLECTIVE(name)                                                                               \
  Tensor one_##name(const Tensor& t) { return distributed::name(t); }                                  \
  ORDO_OP_SAMPLES(name) {                                                                              \
    return {sample_of({7}, one_##name), sample_of({3, 5}, one_##name), sample_of({0, 3}, one_##name)}; \
  }                                                                                                    \
  ORDO_OP_SIZES(name) { return {sample_of({n}, one_##name), sample_of({n, 3}, one_##name)}; }
COLLECTIVE(all_reduce)
COLLECTIVE(reduce_scatter)
COLLECTIVE(all_gather)
COLLECTIVE(broadcast)
COLLECTIVE(all_to_all)
ORDO_OP_INTEGER(broadcast, "src", distributed::broadcast(some(d), v));

class Collectives : public testing::TestWithParam<int> {
 protected:
  const int64_t size = GetParam();
  const DeterminismGuard guard_{Determinism::device_to_device};
};
INSTANTIATE_TEST_SUITE_P(ranks, Collectives, testing::Values(1, 2, 3, 4, 5, 8));

Tensor part_of(int64_t rank, const Dims& sizes, DType dtype = float32) {
  return test_mixed_values(sizes, uint64_t(rank) + 1).to(dtype);
}

/// In pairs, as docs/distributed.md has it.
Tensor in_pairs(TensorList parts) {
  while (parts.size() > 1) {
    TensorList next;
    for (size_t i = 0; i < parts.size(); i += 2)
      next.push_back(i + 1 < parts.size() ? parts[i] + parts[i + 1] : parts[i]);
    parts = next;
  }
  return parts[0];
}

TEST_P(Collectives, all_reduce_adds_in_the_tree) {
  // 70001: several segments, which no number of ranks divides.
  for (const int64_t n : {0, 1, 5, 1000, 70001 * 4})
    for (const DType dtype : {float32, float64, bfloat16, int32}) {
      TensorList parts;
      for (int64_t r = 0; r < size; ++r) parts.push_back(part_of(r, {n}, dtype));
      const auto expected = bytes_of(in_pairs(parts));
      run_job(int(size), [&](int rank) {
        const DeterminismGuard guard(Determinism::device_to_device);
        EXPECT_EQ(bytes_of(distributed::all_reduce(parts[size_t(rank)])), expected) << n << " " << name(dtype);
        EXPECT_EQ(bytes_of(parts[size_t(rank)]), bytes_of(part_of(rank, {n}, dtype))) << "the argument has changed";
      });
    }
}

TEST_P(Collectives, of_every_device_give_the_same_bytes) {
  TensorList parts;
  for (int64_t r = 0; r < size; ++r) parts.push_back(part_of(r, {300}));
  const auto sum = bytes_of(in_pairs(parts));
  for (const Device device : test_devices())
    run_job(int(size), [&](int rank) {
      const DeterminismGuard guard(Determinism::device_to_device);
      const Tensor own = parts[size_t(rank)].to(device);
      for (const Tensor& t : {distributed::all_reduce(own), distributed::all_gather(own), distributed::broadcast(own)})
        EXPECT_EQ(t.device(), device);
      EXPECT_EQ(bytes_of(distributed::all_reduce(own)), sum);
      EXPECT_EQ(bytes_of(distributed::broadcast(own, size - 1)), bytes_of(parts[size_t(size - 1)]));
    });
}

TEST_P(Collectives, all_reduce_by_each_operation) {
  run_job(int(size), [&](int rank) {
    const DeterminismGuard guard(Determinism::run_to_run);
    const auto value = [&](ReduceOp op) { return distributed::all_reduce(full({3}, rank + 1.0), op)[0].item(); };
    EXPECT_EQ(value(ReduceOp::sum), double(size * (size + 1)) / 2);
    EXPECT_EQ(value(ReduceOp::mean), double(size + 1) / 2);
    EXPECT_EQ(value(ReduceOp::min), 1);
    EXPECT_EQ(value(ReduceOp::max), double(size));
    double product = 1;
    for (int64_t i = 1; i <= size; ++i) product *= double(i);
    EXPECT_EQ(value(ReduceOp::product), product);
    EXPECT_EQ(distributed::all_reduce(full({2}, rank + 1.0), ReduceOp::sum, {}, Algorithm::direct)[1].item(),
              double(size * (size + 1)) / 2);
    const DeterminismGuard loose(Determinism::not_guaranteed);
    EXPECT_EQ(value(ReduceOp::max), double(size)) << "by the library";
  });
}

TEST_P(Collectives, move_rows) {
  run_job(int(size), [&](int rank) {
    const Tensor own = part_of(rank, {2, 3});
    const Tensor all = distributed::all_gather(own);
    ASSERT_EQ(all.sizes(), Dims({2 * size, 3}));
    for (int64_t r = 0; r < size; ++r) EXPECT_EQ(bytes_of(all.narrow(0, 2 * r, 2)), bytes_of(part_of(r, {2, 3})));
    for (int64_t src = 0; src < size; ++src) {
      EXPECT_EQ(bytes_of(distributed::broadcast(own, src)), bytes_of(part_of(src, {2, 3})));
      const Tensor large = part_of(rank, {40001});
      EXPECT_EQ(bytes_of(distributed::broadcast(large, src)), bytes_of(part_of(src, {40001})));
    }
    const Tensor mine = part_of(rank, {size, 4}), theirs = distributed::all_to_all(mine);
    for (int64_t r = 0; r < size; ++r) EXPECT_EQ(bytes_of(theirs[r]), bytes_of(part_of(r, {size, 4})[rank]));
    const DeterminismGuard guard(Determinism::device_to_device);
    const Tensor sum = distributed::reduce_scatter(mine);
    EXPECT_EQ(bytes_of(sum), bytes_of(distributed::all_reduce(mine).narrow(0, rank, 1)));
    EXPECT_EQ(bytes_of(mine), bytes_of(part_of(rank, {size, 4}))) << "the argument has changed";
    distributed::barrier();
  });
}

TEST_P(Collectives, have_gradients) {
  // Of sum over ranks r of (r + 1) * f(x_r): what reaches x_r, worked out by hand.
  run_job(int(size), [&](int rank) {
    const DeterminismGuard guard(Determinism::device_to_device);
    const double all = double(size * (size + 1)) / 2;
    const auto gradient = [&](const Dims& sizes, const std::function<Tensor(const Tensor&)>& f) {
      Tensor x = full(sizes, rank + 0.5, {.requires_grad = true});
      (f(x).sum() * double(rank + 1)).backward();
      return x.grad()[0].item();
    };
    EXPECT_EQ(gradient({3}, [](const Tensor& x) { return distributed::all_reduce(x); }), all);
    EXPECT_EQ(gradient({3}, [](const Tensor& x) { return distributed::all_reduce(x, ReduceOp::mean); }),
              double(float(all) / float(size)));
    EXPECT_EQ(gradient({3}, [](const Tensor& x) { return distributed::all_gather(x); }), all);
    EXPECT_EQ(gradient({3}, [](const Tensor& x) { return distributed::broadcast(x, 0); }), rank == 0 ? all : 0.0);
    EXPECT_EQ(gradient({size}, [](const Tensor& x) { return distributed::reduce_scatter(x); }), 1.0);
    EXPECT_EQ(gradient({size}, [](const Tensor& x) { return distributed::all_to_all(x); }), 1.0);
    const Tensor leaf = ones({2}, {.requires_grad = true});
    EXPECT_ORDO_ERROR(distributed::all_reduce(leaf, ReduceOp::max), AutogradError, "has no gradient");
  });
}

TEST_P(Collectives, send_what_a_ring_sends) {
  constexpr int64_t kFloats = 1 << 20;
  run_job(int(size), [&](int rank) {
    const DeterminismGuard guard(Determinism::device_to_device);
    const Tensor own = part_of(rank, {kFloats});
    const uint64_t before = distributed::bytes_sent();
    (void)distributed::all_reduce(own);
    const double sent = double(distributed::bytes_sent() - before);
    const double ring = 2.0 * double(size - 1) / double(size) * double(kFloats) * 4;
    EXPECT_LE(sent, 1.1 * ring);
    EXPECT_GE(sent, ring);
  });
}

TEST(CollectivesOfGroups, are_for_their_members) {
  run_job(5, [&](int rank) {
    const DeterminismGuard guard(Determinism::device_to_device);
    const distributed::Group odd = distributed::new_group({3, 1}), even = distributed::new_group({0, 2, 4});
    const bool is_odd = rank % 2 == 1;
    EXPECT_EQ(distributed::rank(odd), rank == 3 ? 0 : rank == 1 ? 1 : -1);
    EXPECT_EQ(distributed::world_size(even), 3);
    const distributed::Group& own = is_odd ? odd : even;
    EXPECT_EQ(distributed::all_reduce(full({2}, double(rank)), ReduceOp::sum, own)[0].item(), is_odd ? 4 : 6);
    EXPECT_EQ(distributed::all_gather(full({1}, double(rank)), own)[0].item(), is_odd ? 3 : 0);
    EXPECT_ORDO_ERROR(distributed::all_reduce(ones({2}), ReduceOp::sum, is_odd ? even : odd), ValueError,
                      "is not in this group of");
    EXPECT_EQ(distributed::all_reduce(ones({2}))[0].item(), 5);
    EXPECT_ORDO_ERROR(distributed::new_group({0, 7}), ValueError, "there is no rank 7 of 5");
    EXPECT_ORDO_ERROR(distributed::new_group({1, 1}), ValueError, "rank 1 is named twice");
  });
}

/// What the job's ranks are told when f(rank) is what they do.
std::string message_of(int ranks, const std::function<void(int)>& f, double timeout = 60) {
  try {
    run_job(ranks, f, {timeout});
    return "";
  } catch (const Error&) {
    return last_job_message();
  }
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(CollectivesThatDoNotFit, are_named) {
  const auto shapes = message_of(4, [](int rank) { (void)distributed::all_reduce(ones({rank == 2 ? 3 : 2})); });
  EXPECT_TRUE(has(shapes, "is at all_reduce number 1 of float32 [2]") &&
              has(shapes, "rank 2 is at all_reduce number 1 of float32 [3]"))
      << shapes;
  const auto dtypes = message_of(
      3, [](int rank) { (void)distributed::all_reduce(ones({2}, {.dtype = rank == 1 ? float64 : float32})); });
  EXPECT_TRUE(has(dtypes, "rank 1 is at all_reduce number 1 of float64 [2]")) << dtypes;
  const auto levels = message_of(2, [](int rank) {
    const DeterminismGuard guard(rank == 1 ? Determinism::device_to_device : Determinism::run_to_run);
    (void)distributed::all_reduce(ones({2}));
  });
  EXPECT_TRUE(has(levels, "run_to_run") && has(levels, "device_to_device")) << levels;
  const auto calls = message_of(5, [](int rank) {
    if (rank == 3)
      distributed::barrier();
    else
      (void)distributed::all_gather(ones({2}));
  });
  EXPECT_TRUE(has(calls, "rank 3 is at barrier") && has(calls, "is at all_gather")) << calls;
  const auto ended = message_of(3, [](int rank) {
    if (rank != 2) distributed::barrier();
  });
  EXPECT_TRUE(has(ended, "rank 2 is at the end of the program") && has(ended, "is at barrier number 1")) << ended;
}

TEST(CollectivesThatDoNotFit, a_rank_that_does_not_come_is_named) {
  const auto hangs = message_of(
      4,
      [](int rank) {
        if (rank == 3) std::this_thread::sleep_for(std::chrono::seconds(3));
        distributed::barrier();
      },
      0.5);
  EXPECT_TRUE(has(hangs, "rank 0 of 4: waited") && has(hangs, "for rank 3 in barrier number 1")) << hangs;
}

/// Which of them a process comes to first is another one in each process.
TEST(CollectivesInThreads, those_of_several_groups_do_not_wait_for_each_other) {
  constexpr int kThreads = 4, kRanks = 4;
  std::atomic<int> wrong = 0;
  const auto job = [&](int) {
    distributed::World& world = distributed::World::current();
    std::vector<distributed::Group> groups;
    for (int i = 0; i < kThreads; ++i) groups.push_back(distributed::new_group({0, 1, 2, 3}));
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        const distributed::World::Scope scope(world);
        try {
          for (int k = 0; k < 20; ++k) {
            const Tensor sum = distributed::all_reduce(full({100}, double(i + k)), ReduceOp::sum, groups[size_t(i)]);
            wrong += sum[0].item() != double((i + k) * kRanks);
          }
        } catch (const DistributedError&) {
          ++failed;
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (failed) throw DistributedError("a thread failed");
  };
  run_job(kRanks, job, {.timeout_seconds = 10});
  EXPECT_EQ(wrong, 0);
}

TEST(CollectivesThatDoNotFit, a_transport_that_does_not_end_is_named) {
  run_job(3, [](int) { distributed::barrier(); }, {.timeout_seconds = 0.5, .at_end = [](int rank) {
                                                     if (rank == 1)
                                                       std::this_thread::sleep_for(std::chrono::seconds(1));
                                                   }});
  EXPECT_EQ(last_job_message(), "[ordo] rank 1 of 3: waited 0.5 seconds for threads to end; all else is done\n");
}

}  // namespace
}  // namespace ordo::test::collectives_samples_test
