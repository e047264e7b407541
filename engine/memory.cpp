#include <ordo/engine/memory.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include <ordo/engine/check.h>
#include <ordo/engine/checked.h>
#include <ordo/engine/memory_annotations.h>
#include <ordo/engine/poison.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {
namespace {

// Requests are rounded up to eighths of a power of two, so that a freed block serves any request of its class and at
// most an eighth is wasted.
size_t size_class(size_t bytes) {
  constexpr size_t kSmallest = 64;
  if (bytes <= 8 * kSmallest) return (bytes + kSmallest - 1) / kSmallest * kSmallest;
  const size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

struct CpuMemory {
  static constexpr const char* kName = "cpu";
  void* allocate(size_t bytes) const { return std::aligned_alloc(64, bytes); }
  void free(void* data) const { std::free(data); }
  uintptr_t stream() const { return 0; }
};

#if ORDO_HAS_CUDA
struct CudaMemory {
  static constexpr const char* kName = "cuda";
  int device;
  void* allocate(size_t bytes) const { return cuda::backend::allocate_raw(bytes, device); }
  void free(void* data) const { cuda::backend::free_raw(data, device); }
  // A freed block may still be in use by work queued on its stream; only later work of the same stream may have it.
  uintptr_t stream() const { return cuda::backend::current_stream_id(device); }
};
#endif

// One design for all devices; Memory is where its blocks come from.
template <class Memory>
class CachingAllocator {
 public:
  explicit CachingAllocator(Memory memory) : memory_(memory) {}

  void* allocate(size_t bytes) {
    const size_t rounded = size_class(bytes);
    const uintptr_t stream = memory_.stream();
    const std::lock_guard lock(mutex_);
    void* data = nullptr;
    auto& free = free_[{stream, rounded}];
    if (!free.empty()) {
      data = free.back();
      free.pop_back();
      stats_.cached_bytes -= rounded;
    } else {
      data = from_system(bytes, rounded);
    }
    detail::note_allocated(data, bytes, rounded);
    if constexpr (!std::is_same_v<Memory, CpuMemory>) streams_[data] = stream;
    ++stats_.allocations;
    stats_.allocated_bytes += rounded;
    stats_.peak_allocated_bytes = std::max(stats_.peak_allocated_bytes, stats_.allocated_bytes);
    return data;
  }

  void deallocate(void* data, size_t bytes) noexcept {
    const size_t rounded = size_class(bytes);
    const std::lock_guard lock(mutex_);
    uintptr_t stream = 0;
    if constexpr (!std::is_same_v<Memory, CpuMemory>) {
      const auto at = streams_.find(data);
      stream = at->second;
      streams_.erase(at);
    }
    detail::note_freed(data, rounded);
    free_[{stream, rounded}].push_back(data);
    stats_.allocated_bytes -= rounded;
    stats_.cached_bytes += rounded;
  }

  void empty_cache() {
    const std::lock_guard lock(mutex_);
    release_cached();
  }

  MemoryStats stats() {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    stats_.peak_allocated_bytes = stats_.allocated_bytes;
  }

 private:
  struct Class {
    uintptr_t stream;
    size_t bytes;
    bool operator==(const Class&) const = default;
  };
  struct ClassHash {
    size_t operator()(const Class& c) const {
      return (c.bytes ^ c.stream * 0x9e3779b97f4a7c15ull) * 0x9e3779b97f4a7c15ull >> 7;
    }
  };

  void* from_system(size_t bytes, size_t rounded) {
    // A request near the top of the address space overflows when rounded up.
    const bool possible = rounded >= bytes && bytes <= detail::memory_limit();
    void* data = possible ? memory_.allocate(rounded) : nullptr;
    if (!data && possible && stats_.cached_bytes) {
      release_cached();
      data = memory_.allocate(rounded);
    }
    ORDO_CHECK(
        data, OutOfMemoryError, "allocate",
        "{} has no {} bytes left; tensors hold {}, the cache held {} and was emptied. Free tensors, or use smaller "
        "batches",
        Memory::kName, bytes, stats_.allocated_bytes, stats_.cached_bytes);
    ++stats_.device_allocations;
    return data;
  }

  void release_cached() {
    for (auto& [key, blocks] : free_) {
      for (void* data : blocks) memory_.free(data);
      stats_.cached_bytes -= key.bytes * blocks.size();
    }
    free_.clear();
  }

  Memory memory_;
  std::mutex mutex_;
  std::unordered_map<Class, std::vector<void*>, ClassHash> free_;
  std::unordered_map<void*, uintptr_t> streams_;
  MemoryStats stats_;
};

// The allocators live as long as the process: tensors with static storage may be freed at its very end.
CachingAllocator<CpuMemory>& cpu_allocator() {
  static auto* allocator = new CachingAllocator<CpuMemory>(CpuMemory{});
  return *allocator;
}

#if ORDO_HAS_CUDA
CachingAllocator<CudaMemory>& cuda_allocator(Device device) {
  static auto* all = [] {
    auto* list = new std::vector<std::unique_ptr<CachingAllocator<CudaMemory>>>;
    for (int i = 0; i < cuda::device_count(); ++i)
      list->push_back(std::make_unique<CachingAllocator<CudaMemory>>(CudaMemory{i}));
    return list;
  }();
  ORDO_CHECK(size_t(device.index()) < all->size(), DeviceError, "allocate", "there is no device {}; {} found", device,
             all->size());
  return *(*all)[size_t(device.index())];
}
#else
CachingAllocator<CpuMemory>& cuda_allocator(Device device) {
  detail::fail<DeviceError>("allocate", "there is no device {}: this build of Ordo has no CUDA", device);
}
#endif

template <class F>
decltype(auto) with_allocator(Device device, F f) {
  return device.is_cpu() ? f(cpu_allocator()) : f(cuda_allocator(device));
}

void fill_poison(void* data, size_t bytes, Device device) {
  const int value = detail::poison() == detail::Poison::zeros ? 0 : 0xff;
#if ORDO_HAS_CUDA
  if (device.is_cuda()) return cuda::backend::fill_bytes(data, value, bytes, device.index());
#endif
  (void)device;
  std::memset(data, value, bytes);
}

}  // namespace

MemoryStats memory_stats(Device device) {
  return with_allocator(device, [](auto& a) { return a.stats(); });
}
void reset_peak_memory_stats(Device device) {
  with_allocator(device, [](auto& a) { a.reset_peak(); });
}
void empty_cache(Device device) {
  with_allocator(device, [](auto& a) { a.empty_cache(); });
}

void* detail::allocate(size_t bytes, Device device) {
  if (bytes == 0) {
    if (device.is_cuda()) cuda_allocator(device);  // the device must exist all the same
    return nullptr;
  }
  void* data = with_allocator(device, [bytes](auto& a) { return a.allocate(bytes); });
  if (poison() != Poison::none) [[unlikely]]
    fill_poison(data, bytes, device);
  return data;
}

void detail::deallocate(void* data, size_t bytes, Device device) noexcept {
  if (data) with_allocator(device, [=](auto& a) { a.deallocate(data, bytes); });
}

}  // namespace ordo
