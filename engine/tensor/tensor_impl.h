// What is behind a Tensor handle. Internal: for kernels and the tape.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// A block of memory on one device, shared by all views of it.
class Storage {
 public:
  Storage(size_t bytes, Device device);
  /// Memory that `owner` keeps (engine/tensor/from_blob.h).
  Storage(std::shared_ptr<void> owner, void* data, size_t bytes, Device device);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  Device device() const { return device_; }

  /// The calling thread is about to queue work that reads it, or writes to it. On CUDA its stream waits for what other
  /// threads had queued when it comes for the first time, and when another has changed the contents since.
  void use() {
    if (device_.is_cuda()) use_on_stream(Use::read);
  }
  /// The calling thread is about to queue work that changes its contents: after all that others have queued.
  void use_alone() {
    if (device_.is_cuda()) use_on_stream(Use::change);
  }
  /// As use_alone(), of a thread that sees to the order of streams by events.
  void use_in_order() {
    if (device_.is_cuda()) use_on_stream(Use::change_in_order);
  }

  /// Counts in-place changes, so that the tape notices when a saved tensor was changed, and by which operation.
  uint32_t version() const { return version_.load(std::memory_order_relaxed); }
  const char* last_change() const { return last_change_.load(std::memory_order_relaxed); }
  void changed_by(const char* op) {
    version_.store(version() + 1, std::memory_order_relaxed);  // who changes memory is alone with it
    last_change_.store(op, std::memory_order_relaxed);
  }
  /// Exchanges the memory of two storages (resize_).
  void swap_memory(Storage& other);

 private:
  struct Streams;
  enum class Use { read, change, change_in_order };
  void use_on_stream(Use how);

  void* data_ = nullptr;
  size_t bytes_ = 0;
  Device device_;
  std::shared_ptr<void> owner_;  // null: the memory is this storage's own
  // On CUDA: the one stream whose work has used it; 0: none yet; 1: several, which streams_ lists.
  std::atomic<uintptr_t> stream_ = 0;
  std::unique_ptr<Streams> streams_;
  std::atomic<uint32_t> version_ = 0;
  std::atomic<const char*> last_change_ = "";
};

/// The tape's part of a tensor; defined in autograd/tape.h.
struct AutogradMeta;

struct TensorImpl {
  std::shared_ptr<Storage> storage;
  Dims sizes, strides;
  int64_t offset = 0;  ///< elements
  int64_t numel = 0;
  DType dtype = float32;
  bool contiguous = true;
  std::shared_ptr<AutogradMeta> autograd;

  // Of views made by public operations; autograd/view_history.h.
  /// The tensor, itself no view, whose memory this one shows; null for what is no view.
  std::shared_ptr<TensorImpl> base;
  const void* followed = nullptr;  ///< the base's node that this view's history goes back to
  bool untracked = false;          ///< made while gradients were disabled: a constant, as what detach() returns

  Device device() const { return storage->device(); }
  /// For work that the calling thread queues, on CUDA, or does.
  void* data() const {
    storage->use();
    return static_cast<char*>(storage->data()) + offset * int64_t(size_of(dtype));
  }
};

namespace detail {

/// A tensor on `storage`; computes numel and contiguity.
Tensor make_tensor(std::shared_ptr<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                   int64_t offset);

/// A new contiguous tensor for a result that a kernel will overwrite completely. Never filled, except that tests fill
/// all memory to see an element nobody wrote (engine/memory/poison.h).
Tensor result(const Dims& sizes, DType dtype, Device device);
inline Tensor result_like(const Tensor& t) { return result(t.sizes(), t.dtype(), t.device()); }

/// Writes the fill pattern of uninitialised memory: NaN for floating types, the maximum for integers, true for bool.
void fill_pattern(void* data, int64_t numel, DType dtype, Device device);

/// Copies bytes between any two devices, ordered after the calling thread's work on them; returns when host memory
/// that takes part may be reused.
void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes);

/// Throws ValueError when undefined.
void expect_defined(const char* op, const Tensor& t, const char* argument);
/// Throws DeviceError unless both are on one device. Undefined tensors pass.
void expect_same_device(const char* op, const Tensor& a, const Tensor& b);
void expect_same_dtype(const char* op, const Tensor& a, const Tensor& b);
void expect_floating(const char* op, const Tensor& t);
/// Throws for an undefined tensor, too.
inline void expect_floating(const char* op, const Tensor& t, const char* argument) {
  expect_defined(op, t, argument);
  expect_floating(op, t);
}
void expect_not_bool(const char* op, DType dtype);
/// Throws DTypeError unless int32 or int64.
void expect_index_dtype(const char* op, const Tensor& t);

}  // namespace detail

/// Strided reinterpretations without a graph: what kernels and the tape use. Errors name `op`.
namespace views {
Tensor as_strided(const Tensor& t, const Dims& sizes, const Dims& strides, int64_t offset);
/// Undefined when the strides do not allow it. `sizes` may hold one -1.
Tensor try_view(const Tensor& t, const Dims& sizes);
Tensor view(const Tensor& t, const Dims& sizes);
Tensor transpose(const Tensor& t, int64_t dim0, int64_t dim1);
Tensor permute(const Tensor& t, const Dims& dims);
Tensor slice(const Tensor& t, int64_t dim, int64_t start, int64_t end, int64_t step);
Tensor select(const Tensor& t, int64_t dim, int64_t index);
Tensor narrow(const Tensor& t, int64_t dim, int64_t start, int64_t length);
Tensor expand(const Tensor& t, const Dims& sizes);
Tensor squeeze(const Tensor& t);
Tensor squeeze(const Tensor& t, const Dims& dims);
Tensor unsqueeze(const Tensor& t, int64_t dim);
Tensor alias(const Tensor& t);  ///< same memory, a new handle without history
/// `sizes` with its -1 replaced so that the product is numel; ShapeError otherwise.
Dims infer_size(const char* op, const Dims& sizes, int64_t numel);
}  // namespace views

}  // namespace ordo
