// A block of memory, and the streams of a device that use it.
#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {

struct Storage::Streams {
  struct User {
    uintptr_t stream;
    uint64_t seen;  // the contents that its next work finds: what contents() was
  };
  std::vector<User> users;  // the first is the stream that the memory serves, where it was allocated
  uint64_t changes = 0;     // that are not counted by the version
};

#if ORDO_HAS_CUDA
namespace {
constexpr uintptr_t kNone = 0, kSeveral = 1;  // no stream has these names
// Of all lists: few storages have one.
std::mutex& streams_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}
}  // namespace
#endif

Storage::Storage(size_t bytes, Device device) : data_(detail::allocate(bytes, device)), bytes_(bytes), device_(device) {
#if ORDO_HAS_CUDA
  if (device.is_cuda()) stream_ = cuda::backend::current_stream_id(device.index());
#endif
}
Storage::Storage(std::shared_ptr<void> owner, void* data, size_t bytes, Device device)
    : data_(data), bytes_(bytes), device_(device), owner_(std::move(owner)) {}

Storage::~Storage() {
#if ORDO_HAS_CUDA
  // The memory is its first stream's again, after what others have queued with it.
  if (streams_) try {
      for (const Streams::User& user : streams_->users)
        cuda::backend::let_wait(streams_->users[0].stream, user.stream, device_.index());
    } catch (const std::exception&) {  // the process ends, and the driver has gone
    }
#endif
  if (!owner_) detail::deallocate(data_, bytes_, device_);
}

void Storage::use_on_stream([[maybe_unused]] Use how) {
#if ORDO_HAS_CUDA
  const uintptr_t current = cuda::backend::current_stream_id(device_.index());
  if (stream_.load(std::memory_order_relaxed) == current) [[likely]]
    return;
  const std::lock_guard lock(streams_mutex());
  const uintptr_t only = stream_.load(std::memory_order_relaxed);
  if (only == kNone) return stream_.store(current, std::memory_order_relaxed);
  if (only != kSeveral) {
    streams_ = std::make_unique<Streams>(Streams{{{only, version()}}});
    stream_.store(kSeveral, std::memory_order_relaxed);
  }
  Streams& streams = *streams_;
  if (how != Use::read) ++streams.changes;
  const uint64_t contents = streams.changes + version();
  const auto is_own = [&](const Streams::User& user) { return user.stream == current; };
  auto own = std::find_if(streams.users.begin(), streams.users.end(), is_own);
  if (own == streams.users.end()) own = streams.users.insert(own, {current, contents - 1});
  if (own->seen == contents) return;
  if (how != Use::change_in_order)
    for (const Streams::User& user : streams.users) cuda::backend::let_wait(current, user.stream, device_.index());
  own->seen = contents;
#endif
}

void Storage::swap_memory(Storage& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(owner_, other.owner_);
  std::swap(streams_, other.streams_);
  stream_ = other.stream_.exchange(stream_);
}

}  // namespace ordo
