#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/intrinsics.h>
#include <ordo/simulators/emulator/recording.h>
#include <ordo/simulators/emulator/threads.h>

#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include <ordo/engine/calls/error.h>

namespace ordo::cuda::emulator {

Launch g_launch;

namespace {
std::vector<std::unique_ptr<Context>> g_contexts;
std::vector<Context*> g_free_contexts;
size_t g_stack_bytes = 0;
thread_local bool t_launching = false;
bool g_entering = false;  // the launching flow of control is switching to the first thread
std::exception_ptr g_exception;
struct Abandoned {};  // thrown by fail(), so that the frames of the thread are left in order

// Brings the next block into a slot whose block has ended.
void admit(Block& b) {
  Launch& l = g_launch;
  b.number = l.block_order[l.next_block++];
  b.index = {b.number % l.grid.x, b.number / l.grid.x % l.grid.y, b.number / l.grid.x / l.grid.y};
  b.arrived = b.votes = 0;
  b.live = unsigned(b.threads.size());
  for (unsigned w = 0; w < b.warps.size(); ++w)
    b.warps[w] = {.live = w * 32 + 32 <= b.live ? ~0u : (1u << (b.live & 31)) - 1};
  checker::block_starts(b);
  const bool reverse = l.options.order == Order::reverse;
  for (unsigned i = 0; i < b.live; ++i) {
    Thread& t = b.threads[reverse ? b.live - 1 - i : i];
    t.state = Thread::State::fresh;
    t.context = nullptr;
    t.accesses = 0;
    l.fresh.push(&t);
  }
}

// The thread that goes on now, or null when none can.
Thread* pick() {
  Launch& l = g_launch;
  const size_t fresh = l.fresh.size(), all = fresh + l.ready.size(), spinning = l.spinning.size();
  if (all + spinning == 0 || !l.error.empty()) return nullptr;
  if (++l.steps > l.options.max_steps) {
    l.error = "livelock: step limit reached";
    return nullptr;
  }
  // Who spins waits for what another thread does: it looks again now and then, and when nobody else can go on.
  if (spinning && (all == 0 || l.random.below(32) == 0)) return l.spinning.take(l.random.below(spinning));
  if (l.options.order != Order::random) return fresh ? l.fresh.take_first() : l.ready.take_first();
  const size_t i = l.random.below(all);
  return i < fresh ? l.fresh.take(i) : l.ready.take(i - fresh);
}

void make_current(Thread& t) {
  g_launch.current = &t;
  threadIdx = g_launch.thread_indices[t.number];
  blockIdx = t.block->index;
  if (recording::on) recording::runs(t);
}

void finish(Thread& t) {
  Launch& l = g_launch;
  Block& b = *t.block;
  t.state = Thread::State::done;
  if (recording::on) recording::ends(t);
  if (b.arrived) {
    l.error = name_of(t) + " returned while its block waits at __syncthreads " + place(b.barrier);
  } else if (--b.live == 0) {
    if (l.next_block < l.block_order.size()) admit(b);
  } else {
    thread_left_warp(b, t.number);
  }
}

// While a kernel's own code runs, the checker looks at its accesses.
struct InKernel {
  InKernel() { checker::enter_kernel(); }
  ~InKernel() { checker::leave_kernel(); }
};

// What runs on every stack: threads from their first step to their end, one after the other as long as the next one is
// fresh too. So a kernel whose threads never wait uses one stack and no switches.
void run_threads() {
  Launch& l = g_launch;
  entered(g_entering ? &l.main : nullptr);
  g_entering = false;
  for (;;) {
    try {
      const InKernel checked;
      l.body(l.body_context);
    } catch (const Abandoned&) {
    } catch (...) {
      g_exception = std::current_exception();
      l.error = "exception";
    }
    Thread* t = l.current;
    Context* mine = t->context;
    if (l.error.empty())
      finish(*t);
    else
      t->state = Thread::State::done;
    Thread* next = pick();
    if (next && next->state == Thread::State::fresh) {
      next->context = mine;
      next->state = Thread::State::ready;
      make_current(*next);
      continue;
    }
    g_free_contexts.push_back(mine);
    if (next)
      make_current(*next);
    else
      l.current = nullptr;
    ++counters().switches;
    switch_context(*mine, next ? *next->context : l.main, true);
    __builtin_unreachable();
  }
}

Context& new_context() {
  if (g_free_contexts.empty()) {
    g_contexts.push_back(std::make_unique<Context>());
    allocate_stack(*g_contexts.back(), g_stack_bytes, unsigned(g_contexts.size()));
    g_free_contexts.push_back(g_contexts.back().get());
  }
  Context& c = *g_free_contexts.back();
  g_free_contexts.pop_back();
  prepare(c, run_threads);
  return c;
}

void switch_to(Context& from, Thread& next) {
  if (next.state == Thread::State::fresh) {
    next.context = &new_context();
    next.state = Thread::State::ready;
  }
  make_current(next);
  ++counters().switches;
  switch_context(from, *next.context);
}

void start_launch(const LaunchCall& call, const Options& options, uint64_t number) {
  Launch& l = g_launch;
  const dim3 grid = call.grid, block = call.block;
  const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z, threads = uint64_t(block.x) * block.y * block.z;
  l.options = options;
  l.number = number;
  l.random = Random(options.seed * 0x2545f4914f6cdd1dull + number);
  l.grid = gridDim = grid;
  l.block = blockDim = block;
  l.shared_bytes = call.shared_bytes;
  l.body = call.body;
  l.body_context = call.parameters;
  l.body_context_bytes = call.parameter_bytes;
  l.error.clear();
  l.fresh.clear();
  l.ready.clear();
  l.spinning.clear();
  l.steps = 0;
  l.next_block = 0;
  if (recording::on) recording::launch(call, l);
  l.thread_indices.resize(threads);
  for (unsigned t = 0; t < threads; ++t)
    l.thread_indices[t] = {t % block.x, t / block.x % block.y, t / block.x / block.y};
  l.block_order.resize(blocks);
  for (unsigned i = 0; i < blocks; ++i)
    l.block_order[i] = l.options.order == Order::reverse ? unsigned(blocks) - 1 - i : i;
  if (l.options.order == Order::random)
    for (size_t i = blocks; i > 1; --i) std::swap(l.block_order[i - 1], l.block_order[l.random.below(i)]);

  const size_t resident = l.options.resident ? l.options.resident : 1 + l.random.below(8);
  l.blocks.resize(std::min<size_t>(blocks, resident));
  checker::begin_launch();
  for (Block& b : l.blocks) {
    b.threads.resize(threads);
    b.warps.resize((threads + 31) / 32);
    for (unsigned t = 0; t < threads; ++t) {
      b.threads[t].block = &b;
      b.threads[t].number = t;
    }
    admit(b);
  }
  ++counters().launches;
  counters().threads += blocks * threads;
}

// After the last switch back: what went wrong, or an empty text.
std::string end_launch(const void* kernel) {
  Launch& l = g_launch;
  l.current = nullptr;
  unsigned waiting = 0;
  std::string stuck;
  for (const Block& b : l.blocks) {
    for (const Thread& t : b.threads) {
      if (t.state != Thread::State::at_barrier && t.state != Thread::State::in_warp_operation) continue;
      if (waiting++ < 4)
        stuck += "\n  " + name_of(t) +
                 (t.state == Thread::State::at_barrier ? " at __syncthreads " : " in a warp operation at ") +
                 place(t.where);
    }
  }
  const std::string found = checker::end_launch(kernel, l.error.empty() && !waiting);
  for (Block& b : l.blocks) free_shared(b);
  g_free_contexts.clear();
  for (auto& c : g_contexts) {
    if (!l.error.empty() || waiting) forget_frames(*c);
    g_free_contexts.push_back(c.get());
  }
  if (!l.error.empty()) return l.error;
  if (!found.empty()) return found;
  if (waiting) return "deadlock, " + std::to_string(waiting) + " threads wait" + stuck;
  return {};
}
}  // namespace

void suspend() {
  Launch& l = g_launch;
  Thread* self = l.current;
  Thread* next = pick();
  if (next == self) return;
  if (next) return switch_to(*self->context, *next);
  ++counters().switches;
  switch_context(*self->context, l.main);
}

void wake(Thread& t) {
  t.state = Thread::State::ready;
  g_launch.ready.push(&t);
}

void fail(std::string why) {
  g_launch.error = std::move(why);
  throw Abandoned{};
}

void give_way(double chance) {
  const checker::Pause pause;
  Launch& l = g_launch;
  if (!l.current || !l.random.chance(chance)) return;
  wake(*l.current);
  suspend();
}
void give_way_to_others() {
  const checker::Pause pause;
  Launch& l = g_launch;
  if (!l.current || l.options.order != Order::random) return;
  l.current->state = Thread::State::ready;
  l.spinning.push(l.current);
  suspend();
}
void give_way_at_atomic() { give_way(g_launch.options.yield); }
void fence(bool whole_device) {
  const checker::Pause pause;
  give_way_at_atomic();
  if (g_launch.current) checker::fence(whole_device);
}
bool in_kernel() { return t_launching; }
void count_float_atomic() {
  counters().float_atomics += g_launch.current != nullptr;
  checker::float_atomic(ORDO_CALLER);
}
int lane() { return int(g_launch.current->number & 31); }

std::string place(Where where) {
  const char* slash = std::strrchr(where.file, '/');
  return std::string(slash ? slash + 1 : where.file) + ":" + std::to_string(where.line);
}
std::string name_of(const Thread& t) {
  return "block " + std::to_string(t.block->number) + " thread " + std::to_string(t.number);
}

void check_configuration(const LaunchCall& call) {
  const dim3 grid = call.grid, block = call.block;
  const uint64_t blocks = uint64_t(grid.x) * grid.y * grid.z, threads = uint64_t(block.x) * block.y * block.z;
  if (!blocks || !threads || threads > 1024 || block.z > 64 || blocks > 0x7fffffff || grid.y > 65535 ||
      grid.z > 65535 || call.shared_bytes > 99 * 1024)
    throw CudaError("[cuda] kernel launch: invalid configuration argument");
}

void run(const LaunchCall& call, const Options& options, uint64_t number) {
  Launch& l = g_launch;
  if (g_stack_bytes != options.stack_bytes) {
    for (auto& c : g_contexts) free_stack(*c);
    g_contexts.clear();
    g_free_contexts.clear();
    g_stack_bytes = options.stack_bytes;
  }
  record_kernel(call.kernel);
  start_launch(call, options, number);
  g_entering = t_launching = true;
  switch_to(l.main, *pick());
  t_launching = false;
  const std::string error = end_launch(call.kernel);
  if (g_exception) std::rethrow_exception(std::exchange(g_exception, nullptr));
  if (!error.empty()) throw CudaError("[emulator] " + error);
}

}  // namespace ordo::cuda::emulator
