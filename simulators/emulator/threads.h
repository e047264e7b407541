// The state of a launch: its resident blocks, their threads, and who may go on. Internal to the emulator.
#pragma once

#include <string>
#include <vector>

#include <ordo/simulators/emulator/context.h>
#include <ordo/simulators/emulator/scheduler.h>

namespace ordo::cuda::emulator {

struct Block;

/// A CUDA thread. It has a stack only between its first step and its end.
struct Thread {
  enum class State : uint8_t { fresh, ready, at_barrier, in_warp_operation, done };
  Context* context = nullptr;
  Block* block = nullptr;
  unsigned number = 0;  // in its block
  State state = State::fresh;
  WarpOp op{};
  unsigned mask = 0;
  int source_lane = 0;
  uint64_t value = 0;
  Where where{};
  uint64_t accesses = 0;        // to memory, as the checker counts them
  const void* often = nullptr;  // a place of many of them
};

struct SharedVariable {
  const void* tag;
  void* data;
  size_t bytes;
  uint64_t block;  // whose contents it has
};

/// Lanes that have not returned, and those that wait in a warp operation.
struct Warp {
  unsigned live = 0, waiting = 0;
};

struct Block {
  uint3 index{};
  unsigned number = 0;
  unsigned live = 0;     // threads that have not returned
  unsigned arrived = 0;  // at the barrier
  Where barrier{};
  BarrierVote vote{};
  unsigned votes = 0;  // threads whose predicate was true
  int vote_result = 0;
  std::vector<Thread> threads;
  std::vector<Warp> warps;
  std::vector<SharedVariable> shared;
};

/// Threads that may go on, taken in order or at random.
class ThreadQueue {
 public:
  void clear() { items_.clear(), head_ = 0; }
  size_t size() const { return items_.size() - head_; }
  void push(Thread* t) { items_.push_back(t); }
  Thread* take_first() {
    Thread* t = items_[head_++];
    if (head_ == items_.size())
      clear();
    else if (head_ >= 4096 && head_ * 2 > items_.size())
      items_.erase(items_.begin(), items_.begin() + head_), head_ = 0;
    return t;
  }
  Thread* take(size_t i) {
    Thread* t = items_[head_ + i];
    items_[head_ + i] = items_.back();
    items_.pop_back();
    return t;
  }

 private:
  std::vector<Thread*> items_;
  size_t head_ = 0;
};

struct Launch {
  Options options;
  Random random;
  dim3 grid, block;
  size_t shared_bytes = 0;
  void (*body)(void*) = nullptr;
  void* body_context = nullptr;
  size_t body_context_bytes = 0;
  uint64_t number = 0;

  Context main;
  Thread* current = nullptr;
  ThreadQueue fresh, ready, spinning;
  std::vector<Block> blocks;  // resident
  std::vector<unsigned> block_order;
  size_t next_block = 0;
  std::vector<uint3> thread_indices;
  uint64_t steps = 0;
  std::string error;
};
extern Launch g_launch;

/// Runs a launch now. `number` makes its schedule another one than that of other launches under the same seed.
void run(const LaunchCall& call, const Options& options, uint64_t number);
/// Throws CudaError for a grid or block that no device takes.
void check_configuration(const LaunchCall& call);
/// As options() and stats(), without running queued work.
Stats& counters();

/// The current thread may go on later; returns when it does.
void suspend();
/// `t` waits no longer.
void wake(Thread& t);
/// Thread `number` has returned: a warp operation that waited for it may go on.
void thread_left_warp(Block& block, unsigned number);
/// Ends the launch with an error, from inside a thread.
[[noreturn]] void fail(std::string why);
/// "index_add.cu:42", "block 3 thread 17"
std::string place(Where where);
std::string name_of(const Thread& t);
/// Notes that the kernel ran, when ORDO_EMULATOR_KERNELS says where.
void record_kernel(const void* kernel);
void free_shared(Block& block) noexcept;

}  // namespace ordo::cuda::emulator
