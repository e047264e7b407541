// Which addresses a kernel may use. Internal to the checker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace ordo::cuda::emulator::checker {

enum class MemorySpace : uint8_t {
  device,         // usable device memory
  shared,         // usable shared memory
  beside_device,  // freed, cached, or beside a piece of device memory
  beside_shared,  // beside a shared variable
  variable,       // a __device__ variable, or another one of the program that may be written
  constant,       // of the program, and the launch's parameters
  host,           // anything else
};

/// Half-open ranges of addresses that do not overlap, each with a value.
template <class T>
class Ranges {
 public:
  struct Range {
    uintptr_t end;
    T value;
  };

  void set(uintptr_t begin, uintptr_t end, T value) {
    clear(begin, end);
    if (begin < end) ranges_.emplace(begin, Range{end, value});
  }
  void clear(uintptr_t begin, uintptr_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    while (at != ranges_.end() && at->first < end) {
      const uintptr_t first = at->first;
      const Range range = at->second;
      if (range.end <= begin) {
        ++at;
        continue;
      }
      at = ranges_.erase(at);
      if (first < begin) ranges_.emplace(first, Range{begin, range.value});
      if (range.end > end) ranges_.emplace(end, Range{range.end, range.value});
    }
  }
  /// The range that holds `address`, or null.
  const Range* find(uintptr_t address) const {
    auto at = ranges_.upper_bound(address);
    if (at == ranges_.begin()) return nullptr;
    --at;
    return address < at->second.end ? &at->second : nullptr;
  }

 private:
  std::map<uintptr_t, Range> ranges_;
};

/// Where [p, p + bytes) lies; the worst of its spaces when it crosses an end.
MemorySpace space_of(const void* p, size_t bytes);

}  // namespace ordo::cuda::emulator::checker
