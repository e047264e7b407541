#include <ordo/engine/memory/device_copies.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>

#if ORDO_HAS_CUDA
#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <utility>

#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/memory/memory.h>
#endif

namespace ordo::detail {

#if ORDO_HAS_CUDA

namespace backend = cuda::backend;

struct CopyReader {
  std::atomic<uintptr_t> stream;
};

namespace {

/// Pinned memory and as much on the device.
class Block {
 public:
  Block(size_t bytes, Device device) : bytes_(bytes), device_(device) {
    try {
      pinned_ = backend::allocate_pinned(bytes, device.index());
      ORDO_CHECK(pinned_, OutOfMemoryError, "to", "the system has no {} bytes of pinned memory left", bytes);
      data_ = allocate(bytes, device);
      copied_ = backend::create_event(device.index());
      read_ = backend::create_event(device.index());
    } catch (...) {
      free();
      throw;
    }
  }
  /// Where the host waits for whoever uses it.
  ~Block() {
    try {
      if (used_) {
        backend::synchronize_event(copied_);
        backend::synchronize_event(read_);
      }
    } catch (...) {
      backend::wait_for_device(device_.index());
    }
    free();
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  size_t bytes() const { return bytes_; }
  void* data() const { return data_; }

  /// On the calling thread's stream.
  void copy_from(const void* host, size_t bytes) {
    if (used_) backend::synchronize_event(copied_);  // pinned memory must stay as it is until then
    std::memcpy(pinned_, host, bytes);
    if (used_) backend::wait_for_event(read_, device_.index());
    backend::queue_copy(data_, pinned_, bytes, device_.index());
    backend::record_event(copied_, device_.index());
    used_ = true;
  }
  /// What the stream has been given so far reads it, and nothing later does.
  void read_by(uintptr_t stream) { backend::record_event_on(read_, stream); }

 private:
  void free() noexcept {
    if (read_) backend::destroy_event(read_);
    if (copied_) backend::destroy_event(copied_);
    deallocate(data_, bytes_, device_);
    if (pinned_) backend::free_pinned(pinned_);
  }
  const size_t bytes_;
  const Device device_;
  void *pinned_ = nullptr, *data_ = nullptr, *copied_ = nullptr, *read_ = nullptr;
  bool used_ = false;
};

}  // namespace

struct DeviceCopies::Pool {
  explicit Pool(Device device) : device(device) {}

  /// The smallest free block that is large enough, or a new one in place of one that is not.
  std::unique_ptr<Block> block_of(size_t bytes) {
    std::unique_ptr<Block> block, too_small;
    {
      const std::lock_guard lock(mutex);
      auto best = free.end();
      for (auto at = free.begin(); at != free.end(); ++at)
        if ((*at)->bytes() >= bytes && (best == free.end() || (*at)->bytes() < (*best)->bytes())) best = at;
      const bool found = best != free.end();
      if (!found) best = free.begin();
      if (best != free.end()) {
        (found ? block : too_small) = std::move(*best);
        free.erase(best);
      }
      blocks -= too_small != nullptr;
    }
    too_small.reset();
    if (block) return block;
    block = std::make_unique<Block>(bytes, device);
    const std::lock_guard lock(mutex);
    ++blocks;
    return block;
  }
  void give_back(std::unique_ptr<Block> block) {
    const std::lock_guard lock(mutex);
    free.push_back(std::move(block));
  }

  const Device device;
  std::mutex mutex;
  std::list<std::unique_ptr<Block>> free;
  size_t blocks = 0;
};

namespace {

/// A tensor's block, which goes back when the tensor is dropped.
template <class Pool>
struct Lease {
  Lease(std::shared_ptr<Pool> pool, std::unique_ptr<Block> block, std::shared_ptr<CopyReader> reader)
      : pool(std::move(pool)), block(std::move(block)), reader(std::move(reader)) {}
  ~Lease() {
    try {
      block->read_by(reader->stream);
      pool->give_back(std::move(block));
    } catch (...) {
      // The device has failed; the block is freed.
    }
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  const std::shared_ptr<Pool> pool;
  std::unique_ptr<Block> block;
  const std::shared_ptr<CopyReader> reader;
};

}  // namespace

DeviceCopies::DeviceCopies(Device device) : device_(device), pool_(std::make_shared<Pool>(device)) {
  ORDO_CHECK(device.is_cuda(), DeviceError, "to", "takes copies to a CUDA device, not to {}", device);
  detail::check_device("to", device);
}

DeviceCopies::Copied DeviceCopies::queue(const TensorList& tensors) const {
  Copied copied;
  copied.reader = std::make_shared<CopyReader>();
  copied.reader->stream = backend::current_stream_id(device_.index());  // unless somebody takes them
  for (const Tensor& t : tensors) {
    if (!t.defined() || t.nbytes() == 0) {
      copied.tensors.push_back(t.defined() ? result(t.sizes(), t.dtype(), device_) : t);
      continue;
    }
    const Tensor host = t.contiguous();
    std::unique_ptr<Block> block = pool_->block_of(host.nbytes());
    block->copy_from(host.data(), host.nbytes());
    void* const data = block->data();
    auto lease = std::make_shared<Lease<Pool>>(pool_, std::move(block), copied.reader);
    copied.tensors.push_back(make_tensor(std::make_shared<Storage>(std::move(lease), data, host.nbytes(), device_),
                                         host.dtype(), host.sizes(), host.strides(), 0));
  }
  copied.done.record(device_);
  return copied;
}

TensorList DeviceCopies::take(Copied copied) const {
  copied.done.wait();
  copied.reader->stream = backend::current_stream_id(device_.index());
  return std::move(copied.tensors);
}

size_t DeviceCopies::blocks() const {
  const std::lock_guard lock(pool_->mutex);
  return pool_->blocks;
}

#else

struct CopyReader {};
struct DeviceCopies::Pool {};

DeviceCopies::DeviceCopies(Device device) : device_(device) {
  fail<DeviceError>("to", "there is no device {}: this build of Ordo has no CUDA", device);
}
DeviceCopies::Copied DeviceCopies::queue(const TensorList& tensors) const { return {tensors, {}, {}}; }
TensorList DeviceCopies::take(Copied copied) const { return std::move(copied.tensors); }
size_t DeviceCopies::blocks() const { return 0; }

#endif

}  // namespace ordo::detail
