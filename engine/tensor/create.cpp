// Tensors from nothing: storage for results, uninitialised tensors and their filling, and the checks every operation
// makes.
#include <cstring>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/memory/poison.h>
#include <ordo/engine/run/determinism.h>
#include <ordo/engine/tensor/tensor_impl.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {
namespace {

/// The bytes of `count` elements of a tensor of that shape.
size_t bytes_of(const char* op, int64_t count, const Dims& sizes, DType dtype) {
  int64_t bytes;
  ORDO_CHECK(!__builtin_mul_overflow(count, int64_t(size_of(dtype)), &bytes), ShapeError, op,
             "a {} tensor of shape {} has more bytes than can be addressed", dtype, sizes);
  return size_t(bytes);
}

size_t bytes_for(const char* op, const Dims& sizes, DType dtype) {
  ORDO_CHECK(int(dtype) < kDTypeCount, DTypeError, op, "number {} is not an element type", int(dtype));
  for (int64_t s : sizes) ORDO_CHECK(s >= 0, ShapeError, op, "sizes must not be negative, given {}", sizes);
  return bytes_of(op, sizes.product(op), sizes, dtype);
}

bool fill_wanted() { return deterministic() && fill_uninitialized_memory(); }

}  // namespace

namespace detail {

Tensor make_tensor(std::shared_ptr<Storage> storage, DType dtype, const Dims& sizes, const Dims& strides,
                   int64_t offset) {
  auto impl = std::make_shared<TensorImpl>();
  impl->storage = std::move(storage);
  impl->dtype = dtype;
  impl->sizes = sizes;
  impl->strides = strides;
  impl->offset = offset;
  impl->numel = sizes.product();
  bytes_of("shape", impl->numel, sizes, dtype);
  int64_t step = 1;
  impl->contiguous = true;
  for (int i = sizes.size() - 1; i >= 0 && impl->numel > 0; --i) {
    if (sizes[i] != 1 && strides[i] != step) {
      impl->contiguous = false;
      break;
    }
    step *= sizes[i];
  }
  return Tensor(std::move(impl));
}

static Tensor allocate_tensor(const char* op, const Dims& sizes, DType dtype, Device device) {
  auto storage = std::make_shared<Storage>(bytes_for(op, sizes, dtype), device);
  return make_tensor(std::move(storage), dtype, sizes, contiguous_strides(sizes), 0);
}

#if ORDO_POISON_RESULTS
static Poison g_poison = Poison::pattern;
#else
static Poison g_poison = Poison::none;
#endif
void set_poison(Poison p) { g_poison = p; }
Poison poison() { return g_poison; }

Tensor result(const Dims& sizes, DType dtype, Device device) {
  Tensor t = allocate_tensor("empty", sizes, dtype, device);
  if (poison() == Poison::pattern) [[unlikely]]
    fill_pattern(t.data(), t.numel(), dtype, device);
  return t;
}

void fill_pattern(void* data, int64_t numel, DType dtype, Device device) {
  if (numel == 0) return;
#if ORDO_HAS_CUDA
  if (device.is_cuda()) return cuda::backend::fill_pattern(data, numel, dtype, device.index());
#endif
  (void)device;
  dispatch_all("empty", dtype, [&]<class T>() { std::fill_n(static_cast<T*>(data), numel, pattern_of<T>()); });
}

void copy_bytes(void* to, Device to_device, const void* from, Device from_device, size_t bytes) {
  if (bytes == 0) return;
#if ORDO_HAS_CUDA
  if (to_device.is_cuda() || from_device.is_cuda()) return cuda::backend::copy(to, to_device, from, from_device, bytes);
#endif
  (void)to_device, (void)from_device;
  std::memcpy(to, from, bytes);
}

void expect_defined(const char* op, const Tensor& t, const char* argument) {
  ORDO_CHECK(t.defined(), ValueError, op, "{} is an undefined tensor", argument);
}

void expect_same_device(const char* op, const Tensor& a, const Tensor& b) {
  if (a.defined() && b.defined())
    ORDO_CHECK(a.device() == b.device(), DeviceError, op, "tensors are on {} and {}; move one with .to(device)",
               a.device(), b.device());
}

void expect_same_dtype(const char* op, const Tensor& a, const Tensor& b) {
  ORDO_CHECK(a.dtype() == b.dtype(), DTypeError, op, "tensors are {} and {}; convert one with .to(dtype)", a.dtype(),
             b.dtype());
}

void expect_floating(const char* op, const Tensor& t) {
  ORDO_CHECK(is_floating(t.dtype()), DTypeError, op, "takes floating-point tensors, not {}", t.dtype());
}

void expect_not_bool(const char* op, DType dtype) {
  ORDO_CHECK(dtype != boolean, DTypeError, op, "does not take bool tensors; convert with to()");
}

void expect_index_dtype(const char* op, const Tensor& t) {
  ORDO_CHECK(t.dtype() == int64 || t.dtype() == int32, DTypeError, op, "takes indices of dtype int32 or int64, not {}",
             t.dtype());
}

}  // namespace detail

Tensor empty(const Dims& sizes, TensorOptions options) {
  const detail::OperationName name("empty");
  Tensor t = detail::allocate_tensor("empty", sizes, options.dtype, options.device);
  if (fill_wanted()) detail::fill_pattern(t.data(), t.numel(), options.dtype, options.device);
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

Tensor empty_strided(const Dims& sizes, const Dims& strides, TensorOptions options) {
  const char* op = "empty_strided";
  const detail::OperationName name(op);
  ORDO_CHECK(sizes.size() == strides.size(), ShapeError, op, "sizes {} and strides {} differ in length", sizes,
             strides);
  bytes_for(op, sizes, options.dtype);
  int64_t last = 0;
  for (int i = 0; i < sizes.size(); ++i) {
    ORDO_CHECK(strides[i] >= 0, ValueError, op, "strides must not be negative, given {}", strides);
    int64_t step;
    ORDO_CHECK(!__builtin_mul_overflow(strides[i], std::max<int64_t>(sizes[i] - 1, 0), &step) &&
                   !__builtin_add_overflow(last, step, &last),
               ShapeError, op, "sizes {} with strides {} cover more memory than can be addressed", sizes, strides);
  }
  const int64_t elements = sizes.product() ? checked::add(op, last, 1) : 0;
  auto storage = std::make_shared<Storage>(bytes_for(op, {elements}, options.dtype), options.device);
  if (fill_wanted()) detail::fill_pattern(storage->data(), elements, options.dtype, options.device);
  Tensor t = detail::make_tensor(std::move(storage), options.dtype, sizes, strides, 0);
  if (options.requires_grad) t.set_requires_grad();
  return t;
}

Tensor empty_like(const Tensor& like) {
  const detail::OperationName name("empty_like");
  detail::expect_defined("empty_like", like, "like");
  return empty(like.sizes(), like.options());
}

Tensor& Tensor::resize_(const Dims& sizes) {
  const char* op = "resize_";
  const detail::OperationName name(op);
  detail::expect_defined(op, *this, "the tensor");
  ORDO_CHECK(!requires_grad(), AutogradError, op, "a tensor that requires a gradient cannot change its size");
  ORDO_CHECK(!impl_->base, AutogradError, op, "a view cannot change its size; detach() or clone() it first");
  const size_t bytes = bytes_for(op, sizes, dtype());
  const size_t offset = size_t(storage_offset()) * element_size();
  Storage& storage = *impl_->storage;
  if (offset + bytes > storage.bytes()) {
    storage.use_alone();
    Storage larger(offset + bytes, device());
    detail::copy_bytes(larger.data(), device(), storage.data(), device(), storage.bytes());
    if (fill_wanted()) {
      const int64_t kept = int64_t(storage.bytes() / element_size()), all = int64_t((offset + bytes) / element_size());
      detail::fill_pattern(static_cast<char*>(larger.data()) + size_t(kept) * element_size(), all - kept, dtype(),
                           device());
    }
    storage.swap_memory(larger);
  }
  storage.changed_by(op);
  const Tensor resized =
      detail::make_tensor(impl_->storage, dtype(), sizes, contiguous_strides(sizes), storage_offset());
  impl_->sizes = resized.sizes();
  impl_->strides = resized.strides();
  impl_->numel = resized.numel();
  impl_->contiguous = true;
  return *this;
}

}  // namespace ordo
