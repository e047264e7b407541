#include <ordo/engine/memory/memory.h>

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/memory/initial_exec.h>
#include <ordo/engine/memory/memory_annotations.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/memory/poison.h>
#include <ordo/engine/run/fork.h>
#include <ordo/engine/run/graph.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {
namespace {

// Requests are rounded up to eighths of a power of two, so that a freed block serves any request of its class and at
// most an eighth is wasted by that.
size_t size_class(size_t bytes) {
  constexpr size_t kSmallest = 64;
  if (bytes <= 8 * kSmallest) return (bytes + kSmallest - 1) / kSmallest * kSmallest;
  const size_t step = std::bit_floor(bytes - 1) / 8;
  return (bytes + step - 1) / step * step;
}

std::atomic<bool> g_no_caching = [] {
  const char* text = std::getenv("ORDO_NO_MEMORY_CACHING");
  return text && std::string_view(text) == "1";
}();

struct CpuMemory {
  static constexpr const char* kName = "cpu";
  static constexpr bool kHasStreams = false;
  static constexpr size_t kUnit = 64;  // of what can be asked for
  // Of x86-64 and 64-bit Arm. Sums into many places touch more pages than a processor's tables of them hold.
  static constexpr size_t kHugePage = size_t(2) << 20;
  void* allocate(size_t bytes) const {
    if (bytes < kHugePage) return std::aligned_alloc(64, bytes);
    void* data = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
    // Whole huge pages only: what lies behind the last one takes small ones, and no more memory than it needs. Where
    // the system has none, this is ignored.
    if (data) (void)madvise(data, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
    return data;
  }
  void free(void* data) const { std::free(data); }
  uintptr_t stream() const { return 0; }
  bool may_free() const { return true; }
};

#if ORDO_HAS_CUDA
struct CudaMemory {
  static constexpr const char* kName = "cuda";
  static constexpr bool kHasStreams = true;
  static constexpr size_t kUnit = 1;
  int device;
  void* allocate(size_t bytes) const { return cuda::backend::allocate_raw(bytes, device); }
  void free(void* data) const { cuda::backend::free_raw(data, device); }
  // A freed block may still be in use by work queued on its stream; only later work of the same stream may have it.
  uintptr_t stream() const { return cuda::backend::memory_pool_id(device); }
  /// A thread that captures a graph may give nothing back.
  bool may_free() const { return detail::capture_number() == 0; }
};
#endif

/// Of an allocator. A thread that has it and finds no memory for the allocator's own lists must not ask for it again.
constinit thread_local bool t_has_lock ORDO_INITIAL_EXEC = false;
class Lock {
 public:
  explicit Lock(std::mutex& mutex) : lock_(mutex) { t_has_lock = true; }
  explicit Lock(std::unique_lock<std::mutex> lock) : lock_(std::move(lock)) { t_has_lock = true; }
  ~Lock() { t_has_lock = false; }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
};

// From this size on, a request that finds no block of its class takes a larger one, up to half larger.
constexpr size_t kSmallestShared = size_t(64) << 10;

// One design for all devices; Memory is where its blocks come from.
template <class Memory>
class CachingAllocator {
 public:
  CachingAllocator(Memory memory, std::mutex& mutex) : memory_(memory), mutex_(mutex) {}

  void* allocate(size_t bytes) {
    if (g_no_caching.load(std::memory_order_relaxed) && memory_.may_free()) [[unlikely]]
      return allocate_uncached(bytes);
    const size_t rounded = size_class(bytes);
    const uintptr_t stream = memory_.stream();
    const Lock lock(mutex_);
    size_t block = rounded;
    void* data = take(blocks_of({stream, rounded}), rounded);
    if (!data && rounded >= kSmallestShared) data = take_larger(stream, rounded, block);
    if (!data) data = from_system(bytes, rounded);
    if (Memory::kHasStreams || block != rounded) remember(data, [&] { unusual_[data] = {stream, block}; });
    // Earlier work of a graph uses the same block, perhaps more of it, again.
    detail::note_allocated(data, is_kept({stream, block}) ? block : bytes, block);
    ++stats_.allocations;
    stats_.allocated_bytes += block;
    if (stats_.allocated_bytes > greatest_) greatest_ = stats_.allocated_bytes;
    return data;
  }

  void deallocate(void* data, size_t bytes) noexcept {
    Class of{0, size_class(bytes)};
    const Lock lock(mutex_);
    if (!uncached_.empty() && uncached_.erase(data)) [[unlikely]] {
      stats_.allocated_bytes -= uncached_size(bytes);
      detail::note_freed(data, uncached_size(bytes));
      if (memory_.may_free()) return memory_.free(data);
      of = {0, uncached_size(bytes)};  // kept for now, and for nobody
      stats_.allocated_bytes += of.bytes;
    }
    if (Memory::kHasStreams || (of.bytes >= kSmallestShared && !unusual_.empty())) {
      const auto at = unusual_.find(data);
      if (at != unusual_.end()) {
        of = at->second;
        unusual_.erase(at);
      }
    }
    if (!is_kept(of)) detail::note_freed(data, of.bytes);
    stats_.allocated_bytes -= of.bytes;
    try {
      FreeBlocks& free = blocks_of(of);
      free.blocks.push_back(data);
      free.last_use = stats_.allocations;
      stats_.cached_bytes += of.bytes;
    } catch (const std::exception&) {  // there is no memory for the list of what is kept
      memory_.free(data);
    }
  }

  void empty_cache() {
    if (!memory_.may_free()) return;
    const Lock lock(mutex_);
    release_cached();
    greatest_before_emptying_ = std::max(greatest_before_emptying_, greatest_);
    greatest_before_reset_ = 0;
    greatest_ = stats_.allocated_bytes;
  }

  /// Blocks of the pool of a graph stay, whoever has freed them, for replays write to them.
  void keep(uintptr_t pool, bool on) {
    const Lock lock(mutex_);
    if (on) return void(kept_.insert(pool));
    kept_.erase(pool);
    for (auto& [of, free] : free_)
      if (of.stream == pool)
        for (void* data : free.blocks) detail::note_freed(data, of.bytes);
  }

  bool release() {
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return false;
    const Lock held(std::move(lock));
    const bool any = stats_.cached_bytes > 0;
    release_cached();
    return any;
  }

  MemoryStats stats() {
    const Lock lock(mutex_);
    MemoryStats all = stats_;
    all.peak_allocated_bytes = std::max(greatest_, greatest_before_emptying_);
    return all;
  }

  void reset_peak() {
    const Lock lock(mutex_);
    greatest_before_reset_ = std::max(greatest_before_reset_, greatest_);
    greatest_before_emptying_ = 0;
    greatest_ = stats_.allocated_bytes;
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

  struct FreeBlocks {
    std::vector<void*> blocks;
    uint64_t last_use = 0;  // how many requests were served when a block of this class was freed last
  };

  /// What is freed and asked for again is most often of the class that it was a moment ago.
  FreeBlocks& blocks_of(const Class& of) {
    if (!recent_ || !(recent_->first == of)) recent_ = &*free_.try_emplace(of).first;
    return recent_->second;
  }

  void* take(FreeBlocks& free, size_t block) {
    if (free.blocks.empty()) return nullptr;
    void* const data = free.blocks.back();
    free.blocks.pop_back();
    stats_.cached_bytes -= block;
    return data;
  }

  void* take_larger(uintptr_t stream, size_t rounded, size_t& block) {
    for (size_t larger = size_class(rounded + 1); larger <= rounded + rounded / 2; larger = size_class(larger + 1)) {
      const auto at = free_.find({stream, larger});
      if (at == free_.end() || at->second.blocks.empty()) continue;
      block = larger;
      return take(at->second, larger);
    }
    return nullptr;
  }

  bool is_kept(const Class& of) const { return !kept_.empty() && kept_.contains(of.stream); }

  static size_t uncached_size(size_t bytes) { return (bytes + Memory::kUnit - 1) / Memory::kUnit * Memory::kUnit; }

  /// `put` writes down that the block is in use.
  template <class Put>
  void remember(void* data, const Put& put) {
    try {
      put();
    } catch (...) {
      memory_.free(data);
      throw;
    }
  }

  void* allocate_uncached(size_t bytes) {
    const Lock lock(mutex_);
    void* const data = from_system(bytes, uncached_size(bytes));
    remember(data, [&] { uncached_.insert(data); });
    detail::note_allocated(data, bytes, uncached_size(bytes));
    ++stats_.allocations;
    stats_.allocated_bytes += uncached_size(bytes);
    greatest_ = std::max(greatest_, stats_.allocated_bytes);
    return data;
  }

  void* from_system(size_t bytes, size_t rounded) {
    // A request near the top of the address space overflows when rounded up.
    const bool possible = rounded >= bytes && bytes <= detail::memory_limit();
    void* data = nullptr;
    if (possible) {
      if (memory_.may_free()) make_room(rounded);
      data = memory_.allocate(rounded);
    }
    if (!data && possible && stats_.cached_bytes && memory_.may_free()) {
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

  // Gives back the blocks that were unused for longest, until what is held stays within the bound of memory.h.
  void make_room(size_t rounded) {
    const size_t in_use = stats_.allocated_bytes + rounded;
    const size_t greatest = std::max({greatest_, greatest_before_reset_, in_use});
    while (stats_.cached_bytes > greatest + (greatest - in_use) + kMemoryCacheSlack) {
      auto oldest = free_.end();
      for (auto at = free_.begin(); at != free_.end(); ++at)
        if (!at->second.blocks.empty() && !is_kept(at->first) &&
            (oldest == free_.end() || at->second.last_use < oldest->second.last_use))
          oldest = at;
      if (oldest == free_.end()) return;
      memory_.free(oldest->second.blocks.back());
      oldest->second.blocks.pop_back();
      stats_.cached_bytes -= oldest->first.bytes;
    }
  }

  void release_cached() {
    for (auto at = free_.begin(); at != free_.end();) {
      if (is_kept(at->first)) {
        ++at;
        continue;
      }
      for (void* data : at->second.blocks) memory_.free(data);
      stats_.cached_bytes -= at->first.bytes * at->second.blocks.size();
      at = free_.erase(at);
    }
    recent_ = nullptr;
  }

  Memory memory_;
  std::mutex& mutex_;
  std::unordered_map<Class, FreeBlocks, ClassHash> free_;
  std::pair<const Class, FreeBlocks>* recent_ = nullptr;  // in free_
  std::unordered_map<void*, Class> unusual_;  // blocks in use of another class than their request's; all, with streams
  std::unordered_set<void*> uncached_;        // in use, and not to be kept
  std::unordered_set<uintptr_t> kept_;        // pools of graphs
  MemoryStats stats_;                         // without the peak
  // The greatest allocated_bytes: since the start, reset_peak() or empty_cache(); and those before, of which
  // reset_peak() forgets one and empty_cache() the other.
  size_t greatest_ = 0, greatest_before_emptying_ = 0, greatest_before_reset_ = 0;
};

// The allocators live as long as the process: tensors with static storage may be freed at its very end.
CachingAllocator<CpuMemory>& cpu_allocator() {
  static auto* allocator =
      new CachingAllocator<CpuMemory>(CpuMemory{}, detail::process_mutex(detail::ProcessLock::memory));
  return *allocator;
}

#if ORDO_HAS_CUDA
CachingAllocator<CudaMemory>& cuda_allocator(Device device) {
  static auto* all = [] {
    auto* list = new std::vector<std::unique_ptr<CachingAllocator<CudaMemory>>>;
    for (int i = 0; i < cuda::device_count(); ++i)
      list->push_back(std::make_unique<CachingAllocator<CudaMemory>>(CudaMemory{i}, *new std::mutex));
    return list;
  }();
  detail::check_device("allocate", device);
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

void detail::keep_pool(Device device, uintptr_t pool, bool on) {
  with_allocator(device, [=](auto& a) { a.keep(pool, on); });
}

bool detail::release_cached_memory() noexcept { return !t_has_lock && cpu_allocator().release(); }

void* detail::allocate(size_t bytes, Device device) {
  const LibraryCall memory;
  if (bytes == 0) {
    if (!device.is_cpu()) cuda_allocator(device);  // the device must exist all the same
    return nullptr;
  }
  void* data = with_allocator(device, [bytes](auto& a) { return a.allocate(bytes); });
  if (poison() != Poison::none) [[unlikely]]
    fill_poison(data, bytes, device);
  return data;
}

bool detail::set_memory_caching(bool on) { return !g_no_caching.exchange(!on); }

void detail::deallocate(void* data, size_t bytes, Device device) noexcept {
  if (data) with_allocator(device, [=](auto& a) { a.deallocate(data, bytes); });
}

}  // namespace ordo
