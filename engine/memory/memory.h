// Memory for tensors: one caching allocator per device. Freed blocks are kept and handed out again, which on the CPU
// saves page faults and on CUDA a synchronising call. docs/architecture.md, "Memory", has the rules.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ordo/engine/tensor/device.h>

namespace ordo {

/// What the allocator of one device counts. Bytes are those of whole blocks: a request is rounded up by at most an
/// eighth (to 64 bytes where it is small), and one of 64 KiB or more may get a kept block that is up to half larger.
struct MemoryStats {
  size_t allocated_bytes = 0;       ///< in use by tensors
  size_t peak_allocated_bytes = 0;  ///< greatest allocated_bytes since the start or reset_peak_memory_stats()
  size_t cached_bytes = 0;          ///< held free for reuse
  uint64_t allocations = 0;         ///< requests served
  uint64_t device_allocations = 0;  ///< requests that went to the system or driver
};

/// allocated_bytes + cached_bytes is what the device's allocator holds. It is at most twice the greatest
/// allocated_bytes since the start or the last empty_cache(), plus kMemoryCacheSlack: a request that would exceed
/// that first gives back the blocks that have been unused for longest. Any thread may call these three functions.
/// Throws: DeviceError when there is no such device, in all of them.
MemoryStats memory_stats(Device device = cpu);
/// peak_allocated_bytes begins again at what is allocated now. What the cache may hold does not change.
void reset_peak_memory_stats(Device device = cpu);
/// Returns all cached blocks to the system or driver.
void empty_cache(Device device = cpu);

/// How far beyond twice the greatest use the cache of a device may go: programs that use little are not held to little.
inline constexpr size_t kMemoryCacheSlack = size_t(16) << 20;

namespace detail {
/// At least `bytes` bytes, aligned to 64 on the CPU and 256 on CUDA; usable in order on the calling thread's stream.
/// When the device is out of memory, the cache is emptied and the request tried again. Zero bytes give a null pointer.
/// Throws: OutOfMemoryError when that fails, too, saying what was asked for, held and cached; DeviceError when there is
/// no such device.
void* allocate(size_t bytes, Device device);
void deallocate(void* data, size_t bytes, Device device) noexcept;
/// Whether the blocks of a graph's pool are kept for it (engine/run/graph.h).
void keep_pool(Device device, uintptr_t pool, bool on);
/// Gives what the CPU's allocator keeps back to the system. False when that is nothing, or the allocator is in use.
bool release_cached_memory() noexcept;

/// Whether freed blocks are kept. Where they are not, each request goes to the system or driver for its own bytes, and
/// what is freed goes back at once, so that tools which watch memory know every block. It starts as false where the
/// environment has ORDO_NO_MEMORY_CACHING=1. Returns what it was.
bool set_memory_caching(bool on);
}  // namespace detail

/// Scratch memory of a kernel for `count` elements, freed at the end of the scope. Throws: as detail::allocate.
template <class T>
class Scratch {
 public:
  Scratch(int64_t count, Device device)
      : bytes_(size_t(count) > SIZE_MAX / sizeof(T) ? SIZE_MAX : size_t(count) * sizeof(T)),  // SIZE_MAX: out of memory
        device_(device),
        data_(detail::allocate(bytes_, device)) {}
  ~Scratch() { detail::deallocate(data_, bytes_, device_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return static_cast<T*>(data_); }
  operator T*() const { return data(); }

 private:
  size_t bytes_;
  Device device_;
  void* data_;
};

}  // namespace ordo
