// Backward passes of several threads that meet in one leaf: nothing is lost, and at the deterministic levels the bits
// do not depend on which thread came first.
#include <set>

#include "tests/support/threads_scope.h"

namespace ordo::test::threads_test {
namespace {

TEST(AutogradThreads, no_gradient_is_lost) {
  for (Determinism level : {Determinism::not_guaranteed, Determinism::run_to_run}) {
    const Tensor w = ones({20}, {.dtype = float64, .requires_grad = true});
    in_threads(8, [&](int) {
      const DeterminismGuard guard(level);
      for (int i = 0; i < 200; ++i) (w * 1).sum().backward();
    });
    EXPECT_EQ(w.grad().to_vector<double>(), std::vector<double>(20, 1600.0));
  }
}

// Mixed magnitudes, so that the order of the sum shows. The threads start in another order every time.
TEST(AutogradThreads, sums_do_not_depend_on_who_came_first) {
  const DeterminismGuard guard(Determinism::run_to_run);
  std::set<std::string> hashes;
  for (int repeat = 0; repeat < 40; ++repeat) {
    const Tensor w = ones({200}, {.requires_grad = true});
    in_threads(5, [&](int thread) {
      const DeterminismGuard guard_of_thread(Determinism::run_to_run);
      if (thread == repeat % 5) std::this_thread::sleep_for(std::chrono::microseconds(300));
      for (int i = 0; i < 3; ++i) (w * test_mixed_values({200}, uint64_t(thread * 3 + i)).to(float32)).sum().backward();
    });
    hashes.insert(hash_of(w.grad()));
  }
  EXPECT_EQ(hashes.size(), 1u);
}

// One thread's gradients add up in its own order, as they always did, whoever reads them in between.
TEST(AutogradThreads, a_single_thread_keeps_its_order) {
  const auto add_up = [](bool read) {
    const DeterminismGuard guard(Determinism::run_to_run);
    const Tensor w = ones({200}, {.requires_grad = true});
    for (int i = 0; i < 4; ++i) {
      (w * test_mixed_values({200}, uint64_t(i)).to(float32)).sum().backward();
      if (read) in_threads(1, [&](int) { w.grad(); });
    }
    return hash_of(w.grad());
  };
  EXPECT_EQ(add_up(true), add_up(false));
}

TEST(AutogradThreads, graphs_of_gradients_from_two_threads_are_refused) {
  const DeterminismGuard guard(Determinism::run_to_run);
  const Tensor w = ones({3}, {.requires_grad = true});
  (w * w).sum().backward({}, false, true);
  in_threads(1, [&](int) {
    const DeterminismGuard guard_of_thread(Determinism::run_to_run);
    EXPECT_ORDO_ERROR((w * w).sum().backward({}, false, true), NondeterministicError, "create_graph");
  });
  Tensor(w).zero_grad();  // a gradient with a graph holds its leaf, which holds the gradient
}

TEST(AutogradThreads, hooks_are_called_for_every_arrival) {
  const Tensor w = ones({3}, {.requires_grad = true});
  std::atomic<int> before{0}, after{0};
  register_hook(w, [&](const Tensor&) {
    ++before;
    return Tensor();
  });
  register_post_accumulate_grad_hook(w, [&](const Tensor& leaf) {
    EXPECT_TRUE(leaf.is_same(w));
    ++after;
  });
  in_threads(4, [&](int) {
    for (int i = 0; i < 25; ++i) (w * 2).sum().backward();
  });
  EXPECT_EQ(before, 100);
  EXPECT_EQ(after, 100);
}

}  // namespace
}  // namespace ordo::test::threads_test
