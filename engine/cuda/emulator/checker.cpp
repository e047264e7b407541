#include <ordo/engine/cuda/emulator/checker.h>

#if ORDO_RACE_CHECKER
#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

#include <ordo/engine/cuda/emulator/code_place.h>
#include <ordo/engine/cuda/emulator/memory_map.h>
#include <ordo/engine/cuda/emulator/shadow.h>
#include <ordo/engine/cuda/emulator/threads.h>

namespace ordo::cuda::emulator::checker {

thread_local bool t_in_kernel = false;

namespace {
using Lanes = std::array<uint32_t, 32>;

/// What a fence makes visible, once an atomic after it was seen by another thread.
struct Release {
  uint32_t block, thread, epoch, fences;
  bool whole_device;
  Lanes seen;
  std::vector<std::shared_ptr<const Release>> earlier;  // what the thread had acquired itself
  mutable uint64_t visit = 0;
};
using ReleasePtr = std::shared_ptr<const Release>;
using Releases = std::vector<ReleasePtr>;

struct ThreadState {
  uint32_t clock = 0;   // __syncwarps so far
  uint32_t fences = 0;  // so far
  Lanes seen{};         // clocks of the lanes of its warp that it has met
  ReleasePtr device_release, block_release;
  Releases pending, acquired;
};
struct BlockState {
  uint32_t epoch = 0;  // barriers so far
  std::vector<ThreadState> threads;
  Releases acquired;  // by threads that have since come to a barrier
};

struct State {
  uint64_t launch = 0;
  uint64_t visit = 0;
  std::vector<BlockState> blocks;  // by place among the resident blocks
  std::unordered_map<const void*, Releases> released;
  std::set<std::pair<const void*, const void*>> seen_pairs;
  std::string report;
  int reports = 0;
  uint64_t accesses = 0;
};
State g_state;
constexpr int kMostReports = 4;

BlockState& state_of(const Block& b) { return g_state.blocks[size_t(&b - g_launch.blocks.data())]; }

bool covers(const Release& r, const Access& a) {
  if (r.visit == g_state.visit) return false;
  r.visit = g_state.visit;
  if (a.block == r.block) {
    if (a.thread == r.thread ? a.fences < r.fences : a.epoch < r.epoch) return true;
    if (a.thread / 32 == r.thread / 32 && a.clock < r.seen[a.thread & 31]) return true;
  }
  return std::any_of(r.earlier.begin(), r.earlier.end(), [&](const ReleasePtr& e) { return covers(*e, a); });
}

// Whether `a` happened before what the current thread does now.
bool ordered(const Access& a, const Thread& t, const BlockState& b, const ThreadState& s) {
  if (a.block == t.block->number) {
    if (a.thread == t.number || a.epoch < b.epoch) return true;
    if (a.thread / 32 == t.number / 32 && a.clock < s.seen[a.thread & 31]) return true;
  }
  if (b.acquired.empty() && s.acquired.empty()) return false;
  ++g_state.visit;
  const auto covered = [&](const ReleasePtr& r) { return covers(*r, a); };
  return std::any_of(b.acquired.begin(), b.acquired.end(), covered) ||
         std::any_of(s.acquired.begin(), s.acquired.end(), covered);
}

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

// A read-modify-write reads too.
void check(const void* p, size_t bytes, Kind kind, bool reads, const void* code) {
  Thread& t = *g_launch.current;
  const BlockState& b = state_of(*t.block);
  const ThreadState& s = b.threads[t.number];
  Access now{t.block->number, b.epoch, s.clock, s.fences, uint16_t(t.number), kind, 0, code};
  const Place place = place_of(p, bytes);
  switch (place) {
    case Place::device:
    case Place::shared:
      break;
    case Place::beside_device:
      return report("out of bounds of device memory", nullptr, now);
    case Place::beside_shared:
      return report("out of bounds of shared memory", nullptr, now);
    case Place::constant:
      return;
    case Place::host:
      if (!g_launch.options.host_memory) return report("host memory in a kernel", nullptr, now);
  }
  ++g_state.accesses;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(p), end = begin + bytes;
  for (uintptr_t a = begin & ~uintptr_t(3); a < end; a += 4) {
    const unsigned low = a < begin ? unsigned(begin - a) : 0, high = unsigned(std::min<uintptr_t>(4, end - a));
    now.bytes = uint8_t((1u << high) - (1u << low));
    Cell& cell = cell_at(a, g_state.launch);
    const auto races_with = [&](const Access& o) {
      if (o.kind == Kind::none || !(o.bytes & now.bytes) || (o.kind == Kind::read && kind == Kind::read) ||
          (o.kind == Kind::atomic && kind == Kind::atomic) || ordered(o, t, b, s))
        return;
      report(place == Place::shared ? "data race in shared memory" : "data race in device memory", &o, now);
    };
    if (reads && place == Place::shared && (now.bytes & ~cell.written))
      report("shared memory that nobody wrote", nullptr, now);
    races_with(cell.write);
    if (kind == Kind::read) {
      if (cell.read.kind == Kind::none || ordered(cell.read, t, b, s))
        cell.read = now;
      else
        cell.other_read = now;
    } else {
      races_with(cell.read);
      races_with(cell.other_read);
      cell.write = now;
      cell.written |= now.bytes;
    }
  }
}

bool local_variable(const void* p) {
  const Context& c = *g_launch.current->context;
  const char* byte = static_cast<const char*>(p);
  return c.stack <= byte && byte < c.stack + c.stack_bytes;
}

void add(Releases& to, const ReleasePtr& r) {
  if (r && std::find(to.begin(), to.end(), r) == to.end()) to.push_back(r);
}

// A later fence of the same thread makes visible all that an earlier one did.
void replace(Releases& in, const ReleasePtr& r) {
  if (!r) return;
  const auto same = std::find_if(in.begin(), in.end(), [&](const ReleasePtr& e) {
    return e->thread == r->thread && e->block == r->block && e->whole_device == r->whole_device;
  });
  same == in.end() ? in.push_back(r) : void(*same = r);
}
}  // namespace

void begin_launch() {
  ++g_state.launch;
  g_state.released.clear();
  g_state.seen_pairs.clear();
  g_state.report.clear();
  g_state.reports = 0;
  g_state.accesses = 0;
  g_state.blocks.assign(g_launch.blocks.size(), {});
  trim_cells();
}

std::string end_launch() {
  if (g_state.report.empty() && g_state.accesses == 0 && g_launch.error.empty())
    return "the checker saw no access: the kernel is not compiled for it";
  return std::exchange(g_state.report, {});
}

void block_starts(const Block& block) {
  BlockState& b = state_of(block);
  b.epoch = 0;
  b.acquired.clear();
  b.threads.assign(block.threads.size(), {});
}

void barrier(const Block& block) {
  BlockState& b = state_of(block);
  ++b.epoch;
  for (ThreadState& s : b.threads) {
    for (const ReleasePtr& r : s.acquired) add(b.acquired, r);
    s.acquired.clear();
  }
}

void warp_barrier(const Block& block, unsigned first, unsigned mask) {
  BlockState& b = state_of(block);
  Lanes seen{};
  Releases acquired;
  for (unsigned i = 0; i < 32; ++i) {
    if (!(mask >> i & 1)) continue;
    ThreadState& s = b.threads[first + i];
    ++s.clock;
    for (unsigned j = 0; j < 32; ++j) seen[j] = std::max(seen[j], s.seen[j]);
    seen[i] = s.clock;
    for (const ReleasePtr& r : s.acquired) add(acquired, r);
  }
  for (unsigned i = 0; i < 32; ++i)
    if (mask >> i & 1) {
      b.threads[first + i].seen = seen;
      b.threads[first + i].acquired = acquired;
    }
}

void fence(bool whole_device) {
  const Thread& t = *g_launch.current;
  BlockState& b = state_of(*t.block);
  ThreadState& s = b.threads[t.number];
  for (const ReleasePtr& r : std::exchange(s.pending, {}))
    if (r->block == t.block->number || (whole_device && r->whole_device)) add(s.acquired, r);
  Release r{t.block->number, t.number, b.epoch, ++s.fences, whole_device, s.seen, b.acquired};
  for (const ReleasePtr& e : s.acquired) add(r.earlier, e);
  (whole_device ? s.device_release : s.block_release) = std::make_shared<const Release>(std::move(r));
}

void atomic(const void* p, size_t bytes, const void* code, bool reads, bool writes) {
  if (!t_in_kernel) return;
  const Pause pause;
  if (local_variable(p)) return;
  check(p, bytes, Kind::atomic, reads, code);
  const Thread& t = *g_launch.current;
  ThreadState& s = state_of(*t.block).threads[t.number];
  const auto at = g_state.released.find(p);
  if (reads && at != g_state.released.end())
    for (const ReleasePtr& r : at->second)
      if (r->block != t.block->number || r->thread != t.number) add(s.pending, r);
  if (!writes || (!s.device_release && !s.block_release)) return;
  Releases& released = at != g_state.released.end() ? at->second : g_state.released[p];
  replace(released, s.device_release);
  replace(released, s.block_release);
}

void volatile_access(const void* p, size_t bytes, const void* code, Kind kind) {
  if (!t_in_kernel) return;
  give_way_at_atomic();
  atomic(p, bytes, code, kind == Kind::read, kind == Kind::write);
}

void access(const void* p, size_t bytes, Kind kind, const void* code) {
  if (!t_in_kernel || local_variable(p)) return;
  const Pause pause;
  if (g_launch.options.order == Order::random) give_way(g_launch.options.preempt);
  check(p, bytes, kind, kind == Kind::read, code);
}

}  // namespace ordo::cuda::emulator::checker
#endif
