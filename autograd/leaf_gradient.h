// A leaf's end of the tape: what arrives there, from which threads, and who is told. Internal.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include <ordo/autograd/tape.h>

namespace ordo {

/// The gradient of one leaf. Backward passes of several threads may add to it at the same time.
///
/// Every thread's contributions are added in that thread's order. At a deterministic level each thread has a sum of its
/// own, and get() adds these sums element by element in ascending order of their values: whichever thread came first,
/// the bits are the same. At not_guaranteed they are added as they arrive. A single thread's sum is the gradient
/// itself.
class LeafGradient {
 public:
  /// The sum of all that has arrived; undefined when nothing has.
  Tensor get();
  /// Replaces it.
  void set(const Tensor& grad);
  /// Adds a gradient. May keep `grad` itself when nothing else refers to it.
  void add(const Tensor& grad);

  /// The node through which the tape reaches `leaf`. It keeps the leaf alive, as long as operations refer to it.
  std::shared_ptr<Node> accumulator(const Tensor& leaf);

  using Hook = std::function<Tensor(const Tensor&)>;
  using AccumulatedHook = std::function<void(const Tensor&)>;
  void add_hook(Hook hook);
  void add_accumulated_hook(AccumulatedHook hook);
  std::vector<Hook> hooks() const;
  std::vector<AccumulatedHook> accumulated_hooks() const;
  bool has_hooks() const { return has_hooks_.load(std::memory_order_acquire); }  ///< of either kind

 private:
  struct ThreadSum {
    uint64_t thread;
    Tensor sum;
    uint64_t capture = 0;  // of the graph in which it was made (engine/run/graph.h)
  };
  ThreadSum* part_of(uint64_t thread);  ///< to which the thread adds; null: it has none yet
  void merge();

  mutable std::mutex mutex_;
  std::vector<ThreadSum> parts_;  // at most one a thread
  std::weak_ptr<Node> accumulator_;
  std::vector<Hook> hooks_;
  std::vector<AccumulatedHook> accumulated_hooks_;
  std::atomic<bool> has_hooks_{false};
};

}  // namespace ordo
