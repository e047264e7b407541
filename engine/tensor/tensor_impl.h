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
  void* data_ = nullptr;
  size_t bytes_ = 0;
  Device device_;
  std::shared_ptr<void> owner_;  // null: the memory is this storage's own
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
  void* data() const { return static_cast<char*>(storage->data()) + offset * int64_t(size_of(dtype)); }
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
