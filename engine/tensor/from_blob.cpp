#include <ordo/engine/tensor/from_blob.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/tensor/borrowed.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::detail {
namespace {

/// The bytes from the first to the last of a tensor of these sizes and strides; 0 when it has no element.
int64_t span_of(const char* op, const Dims& sizes, const Dims& strides, DType dtype) {
  if (sizes.product(op) == 0) return 0;
  int64_t bytes = 0, reach;
  bool fits = true;
  for (int i = 0; i < sizes.size(); ++i)
    fits = fits && !__builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) &&
           !__builtin_add_overflow(bytes, reach, &bytes);
  fits = fits && !__builtin_add_overflow(bytes, int64_t(1), &bytes) &&
         !__builtin_mul_overflow(bytes, int64_t(size_of(dtype)), &bytes);
  ORDO_CHECK(fits, ShapeError, op, "sizes {} and strides {} reach further than memory can", sizes, strides);
  return bytes;
}

/// Calls the deleter with the pointer, once it holds both.
struct Blob {
  ~Blob() {
    if (deleter) deleter(data);
  }
  void* data = nullptr;
  std::function<void(void*)> deleter;
};

}  // namespace

Tensor borrowed(const char* op, std::shared_ptr<void> owner, void* data, DType dtype, Device device, const Dims& sizes,
                const std::optional<Dims>& given_strides) {
  ORDO_CHECK(int(dtype) < kDTypeCount, DTypeError, op, "number {} is not an element type", int(dtype));
  check_device(op, device);
  for (int64_t s : sizes) ORDO_CHECK(s >= 0, ShapeError, op, "sizes must not be negative, given {}", sizes);
  const Dims strides = given_strides ? *given_strides : contiguous_strides(sizes);
  ORDO_CHECK(sizes.size() == strides.size(), ShapeError, op, "sizes {} and strides {} differ in length", sizes,
             strides);
  for (int64_t s : strides)
    ORDO_CHECK(s >= 0, ShapeError, op, "strides must not be negative, given {}; copy the memory first", strides);
  const int64_t bytes = span_of(op, sizes, strides, dtype);
  ORDO_CHECK(bytes == 0 || data, ValueError, op, "a tensor of shape {} has elements, and the pointer is null", sizes);
  ORDO_CHECK(bytes == 0 || reinterpret_cast<uintptr_t>(data) % size_of(dtype) == 0, ShapeError, op,
             "the memory is not aligned to elements of {} bytes", size_of(dtype));
  return make_tensor(std::make_shared<Storage>(std::move(owner), bytes == 0 ? nullptr : data, size_t(bytes), device),
                     dtype, sizes, strides, 0);
}

Tensor from_blob(void* data, std::optional<DType> pointer_type, const Dims& sizes, const BlobOptions& options) {
  const char* op = "from_blob";
  const OperationName name(op);
  ORDO_CHECK(pointer_type || options.dtype, DTypeError, op,
             "this pointer has no element type; give one: {{.dtype = float32}}");
  ORDO_CHECK(!pointer_type || pointer_type == uint8 || options.dtype.value_or(*pointer_type) == *pointer_type,
             DTypeError, op, "the pointer's elements are {}, not {}; convert with to()", *pointer_type, *options.dtype);
  const auto owner = std::make_shared<Blob>();
  Tensor result =
      borrowed(op, owner, data, options.dtype ? *options.dtype : *pointer_type, options.device, sizes, options.strides);
  if (options.requires_grad) result.set_requires_grad();
  auto deleter = options.deleter;
  owner->data = data;
  owner->deleter.swap(deleter);  // nothing throws any more
  return result;
}

}  // namespace ordo::detail
