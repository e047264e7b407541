#include <ordo/simulators/emulator/memory_map.h>

#if ORDO_RACE_CHECKER
#if !defined(__EMSCRIPTEN__)
#include <link.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include <ordo/simulators/emulator/checker.h>
#include <ordo/simulators/emulator/intrinsics.h>
#include <ordo/simulators/emulator/threads.h>

namespace ordo::cuda::emulator::checker {

namespace {
struct Segment {
  uintptr_t begin, end;
  MemorySpace space;
};
struct Map {
  std::mutex mutex;
  Ranges<MemorySpace> usable;   // device or shared
  Ranges<MemorySpace> guarded;  // beside_device or beside_shared: what is not usable there is an error
  std::vector<Segment> program;
  std::atomic<uint64_t> version = 1;
};
// Answers for whole lines of 64 bytes, until the map changes. One launch runs at a time, so one thread looks.
struct Line {
  uintptr_t line = 0;
  uint64_t version = 0;
  MemorySpace space{};
};
std::array<Line, 4096> g_lines;
// Never destroyed: memory is freed by destructors of static objects.
Map& map() {
  static Map* m = new Map;
  return *m;
}

uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

#if defined(__EMSCRIPTEN__)
extern "C" char __data_end;
MemorySpace space_in_program(uintptr_t a) {
  return a && a < address(&__data_end) ? MemorySpace::variable : MemorySpace::host;
}
#else
MemorySpace space_in_program(uintptr_t a) {
  auto& segments = map().program;
  if (segments.empty()) {
    dl_iterate_phdr(
        [](dl_phdr_info* info, size_t, void* found) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const auto& segment = info->dlpi_phdr[i];
            if (segment.p_type == PT_LOAD)
              static_cast<decltype(&segments)>(found)->push_back(
                  {info->dlpi_addr + segment.p_vaddr, info->dlpi_addr + segment.p_vaddr + segment.p_memsz,
                   segment.p_flags & PF_W ? MemorySpace::variable : MemorySpace::constant});
          }
          return 0;
        },
        &segments);
  }
  const auto at = std::find_if(segments.begin(), segments.end(), [a](auto& s) { return s.begin <= a && a < s.end; });
  return at == segments.end() ? MemorySpace::host : at->space;
}
#endif

bool in_parameters(uintptr_t a) {
  const uintptr_t begin = address(g_launch.body_context);
  return begin <= a && a < begin + g_launch.body_context_bytes;
}

// threadIdx and its like are no variables of the program.
bool is_builtin(uintptr_t a) {
  const auto in = [a](const auto& v) { return address(&v) <= a && a < address(&v + 1); };
  return in(threadIdx) || in(blockIdx) || in(blockDim) || in(gridDim);
}

MemorySpace space_of_byte(uintptr_t a) {
  Map& m = map();
  if (const auto* range = m.usable.find(a)) return range->value;
  if (const auto* range = m.guarded.find(a)) return range->value;
  return in_parameters(a) || is_builtin(a) ? MemorySpace::constant : space_in_program(a);
}

void add(const void* p, size_t bytes, MemorySpace space, MemorySpace beside) {
  Map& m = map();
  const uintptr_t begin = address(p);
  std::lock_guard lock(m.mutex);
  m.guarded.set(begin - kRedZone, begin + bytes + kRedZone, beside);
  m.usable.set(begin, begin + bytes, space);
  ++m.version;
}
}  // namespace

MemorySpace space_of(const void* p, size_t bytes) {
  Map& m = map();
  const uintptr_t begin = address(p), last = begin + bytes - 1, line = begin / 64;
  Line& known = g_lines[line % g_lines.size()];
  if (line == last / 64 && known.line == line && known.version == m.version) return known.space;
  std::lock_guard lock(m.mutex);
  const auto* range = m.usable.find(begin);
  if (range && last < range->end) {
    const auto* whole = m.usable.find(line * 64);
    if (whole == range && line * 64 + 63 < range->end) known = {line, m.version, range->value};
    return range->value;
  }
  const MemorySpace a = space_of_byte(begin), b = space_of_byte(last);
  return a == MemorySpace::device || a == MemorySpace::shared ? b : a;
}

void shared_memory(const void* p, size_t bytes) {
  add(p, bytes, MemorySpace::shared, MemorySpace::beside_shared);
  forget_accesses(p, bytes);
}

void device_memory(const void* p, size_t bytes) { add(p, bytes, MemorySpace::device, MemorySpace::beside_device); }

void device_block(const void* p, size_t bytes, size_t block_bytes) {
  Map& m = map();
  const uintptr_t begin = address(p);
  std::lock_guard lock(m.mutex);
  if (!m.guarded.find(begin)) return;
  m.usable.clear(begin, begin + block_bytes);
  m.usable.set(begin, begin + bytes, MemorySpace::device);
  ++m.version;
}

void forget_memory(const void* p, size_t bytes) {
  Map& m = map();
  const uintptr_t begin = address(p);
  std::lock_guard lock(m.mutex);
  m.guarded.clear(begin - kRedZone, begin + bytes + kRedZone);
  m.usable.clear(begin, begin + bytes);
  ++m.version;
}

}  // namespace ordo::cuda::emulator::checker
#endif
