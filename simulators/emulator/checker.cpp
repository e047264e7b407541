#include <ordo/simulators/emulator/checker.h>

#if ORDO_RACE_CHECKER
#include <algorithm>
#include <bit>
#include <set>
#include <utility>
#include <vector>

#include <ordo/simulators/emulator/code_place.h>
#include <ordo/simulators/emulator/memory_map.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator::checker {

thread_local bool t_in_kernel = false;
void (*g_host_uses_device)(Kind kind, const void* code) = nullptr;

namespace {
using races::Access;

void found(const Access* before, const Access& now);

struct State {
  races::Detector detector{found};
  std::vector<races::Block> blocks;  // by place among the resident blocks
  std::set<std::pair<const void*, const void*>> seen_pairs;
  std::set<const void*> float_atomics;
  std::string report;
  int reports = 0;
  Work work;
  uint64_t busiest = 0;                     // of this launch
  MemorySpace space = MemorySpace::device;  // of the access that is looked at
};
State g_state;
constexpr int kMostReports = 4;

// Counts an access, and remembers its place at the first, second, fourth, eighth: of a loop, a line of the loop.
void count(Thread& t, const void* code) {
  if (std::has_single_bit(++t.accesses)) t.often = code;
  g_state.busiest = std::max<uint64_t>(g_state.busiest, t.accesses);
  if (t.accesses > g_state.work.busiest) {
    g_state.work.busiest = t.accesses;
    g_state.work.at = t.often;
  }
}

races::Block& state_of(const Block& b) { return g_state.blocks[size_t(&b - g_launch.blocks.data())]; }

std::string describe(Kind kind, uint32_t block, uint32_t thread, const void* code) {
  static const char* const names[] = {"", "read", "write", "atomic"};
  return std::string(names[int(kind)]) + " at " + place_of_code(code) + " by block " + std::to_string(block) +
         " thread " + std::to_string(thread);
}

// Once for each pair of places in the program.
void report(const char* what, const Access* before, const Access& now) {
  const void *a = before ? before->code : nullptr, *b = now.code;
  if (!g_state.seen_pairs.insert(std::minmax(a, b)).second || g_state.reports >= kMostReports) return;
  ++g_state.reports;
  g_state.report += g_state.report.empty() ? "" : "\n  ";
  g_state.report += std::string(what) + ": ";
  if (before) g_state.report += describe(before->kind, before->block, before->thread, before->code) + ", then ";
  g_state.report += describe(now.kind, now.block, now.thread, now.code);
}

void found(const Access* before, const Access& now) {
  const void* word = reinterpret_cast<const void*>(g_state.detector.word());
  report(!before                                    ? "shared memory that nobody wrote"
         : space_of(word, 4) == MemorySpace::shared ? "data race in shared memory"
                                                    : "data race in device memory",
         before, now);
}

// Whether the access is one of the memory that threads share; reports those of memory that is not the kernel's.
bool may_race(const void* p, size_t bytes, Kind kind, const void* code) {
  const Thread& t = *g_launch.current;
  const auto bad = [&](const char* what) {
    Access now;
    now.block = t.block->number;
    now.thread = uint16_t(t.number);
    now.kind = kind;
    now.code = code;
    report(what, nullptr, now);
    return false;
  };
  g_state.space = space_of(p, bytes);
  switch (g_state.space) {
    case MemorySpace::device:
    case MemorySpace::shared:
    case MemorySpace::variable:
      return true;
    case MemorySpace::beside_device:
      return bad("out of bounds of device memory");
    case MemorySpace::beside_shared:
      return bad("out of bounds of shared memory");
    case MemorySpace::constant:
      return false;
    case MemorySpace::host:
      return g_launch.options.host_memory || bad("host memory in a kernel");
  }
  return false;
}

// Of code that is no kernel's. While a kernel runs, the emulator itself does.
void host_access(const void* p, size_t bytes, Kind kind, const void* code) {
  if (!g_host_uses_device || in_kernel()) return;
  const MemorySpace space = space_of(p, bytes);
  if (space == MemorySpace::device || space == MemorySpace::beside_device) g_host_uses_device(kind, code);
}

bool local_variable(const void* p) {
  const Context& c = *g_launch.current->context;
  const char* byte = static_cast<const char*>(p);
  return c.stack <= byte && byte < c.stack + c.stack_bytes;
}

}  // namespace

void begin_launch() {
  g_state.detector.begin_launch();
  g_state.seen_pairs.clear();
  g_state.report.clear();
  g_state.reports = 0;
  g_state.blocks.assign(g_launch.blocks.size(), {});
}

std::string end_launch(const void* kernel, bool well) {
  if (well) g_state.detector.end_launch();
  g_state.work.in_a_row += std::exchange(g_state.busiest, 0);
  if (g_state.report.empty() && g_state.detector.accesses() == 0 && g_launch.error.empty())
    return "the checker saw no access to memory: the kernel at " + place_of_function(kernel) +
           " does nothing, or is not compiled for the checker";
  return std::exchange(g_state.report, {});
}

const std::string& found_so_far() { return g_state.report; }

Work take_work() { return std::exchange(g_state.work, {}); }

void block_starts(const Block& block) { state_of(block).begin(block.number, block.threads.size()); }

void barrier(const Block& block) { g_state.detector.barrier(state_of(block)); }

void warp_barrier(const Block& block, unsigned first, unsigned mask) {
  g_state.detector.warp_barrier(state_of(block), first, mask);
}

void fence(bool whole_device) {
  const Thread& t = *g_launch.current;
  g_state.detector.fence(state_of(*t.block), t.number, whole_device);
}

void float_atomic(const void* code) {
  const Pause pause;
  g_state.float_atomics.insert(code);
}
std::vector<const void*> float_atomics() { return {g_state.float_atomics.begin(), g_state.float_atomics.end()}; }

const void* last_writer(const void* p) { return g_state.detector.last_writer(p); }

void forget_accesses(const void* p, size_t bytes) { g_state.detector.forget(p, bytes); }

void atomic(const void* p, size_t bytes, const void* code, Atomic is) {
  if (!t_in_kernel) return host_access(p, bytes, is.writes ? Kind::write : Kind::read, code);
  const Pause pause;
  if (local_variable(p) || !may_race(p, bytes, Kind::atomic, code)) return;
  Thread& t = *g_launch.current;
  count(t, code);
  g_state.detector.atomic(state_of(*t.block), t.number, p, bytes, code, is, g_state.space == MemorySpace::shared);
}

void volatile_access(const void* p, size_t bytes, const void* code, Kind kind) {
  if (t_in_kernel) give_way_at_atomic();
  atomic(p, bytes, code, {.reads = kind == Kind::read, .writes = kind == Kind::write});
}

void access(const void* p, size_t bytes, Kind kind, const void* code) {
  if (bytes == 0) return;
  if (!t_in_kernel) return host_access(p, bytes, kind, code);
  if (local_variable(p)) return;
  const Pause pause;
  if (g_launch.options.order == Order::random) give_way(g_launch.options.preempt);
  if (!may_race(p, bytes, kind, code)) return;
  Thread& t = *g_launch.current;
  count(t, code);
  g_state.detector.access(state_of(*t.block), t.number, p, bytes, kind, code, g_state.space == MemorySpace::shared);
}

}  // namespace ordo::cuda::emulator::checker
#endif
