// Tensors on memory that somebody else owns, without a copy: both sides then see each other's changes.
//
//   std::vector<float> pixels(28 * 28);
//   Tensor image = from_blob(pixels.data(), {28, 28});  // pixels must live as long as image and its views
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// How from_blob() sees the memory.
struct BlobOptions {
  std::optional<DType> dtype = {};          ///< the pointer's element type where it is not given
  Device device = ordo::cpu;                ///< where the memory lies
  std::optional<Dims> strides = {};         ///< in elements; row-major without gaps where they are not given
  std::function<void(void*)> deleter = {};  ///< called once with the pointer, when the last view is gone
  bool requires_grad = false;
};

namespace detail {
Tensor from_blob(void* data, std::optional<DType> pointer_type, const Dims& sizes, const BlobOptions& options);

template <class T>
constexpr std::optional<DType> pointer_type() {
  if constexpr (requires { DTypeOf<T>::value; })
    return dtype_of<T>;
  else
    return std::nullopt;
}
}  // namespace detail

/// A tensor on the memory at `data`. The caller keeps it until the last view of the tensor is gone, or gives a deleter.
///
/// Shapes: `sizes`. Strides are not negative; where elements share memory, in-place operations are ShapeErrors.
/// Dtypes: that of the pointer. options.dtype says it for pointers to void, char and std::byte, and may differ for
/// uint8_t: bytes of a file hold any type.
/// Throws: DTypeError when the pointer has no element type and none is given, when another is given, or when an integer
/// requires a gradient; ValueError when the pointer is null and there are elements; ShapeError when sizes or strides are
/// negative, differ in number or reach further than memory can, or the memory is not aligned to its elements;
/// DeviceError when there is no such device. After an error the deleter has not been called.
/// Determinism: a view of the memory. The bytes are the caller's.
/// PyTorch: torch::from_blob.
template <class T>
Tensor from_blob(T* data, const Dims& sizes, const BlobOptions& options = {}) {
  static_assert(std::is_void_v<T> || std::same_as<T, char> || std::same_as<T, std::byte> || detail::pointer_type<T>(),
                "no dtype has this element type; constant memory must be copied: from_vector(), or clone() of a view");
  return detail::from_blob(data, detail::pointer_type<T>(), sizes, options);
}
template <class T, OptionsPart P>
Tensor from_blob(T* data, const Dims& sizes, P part) {
  BlobOptions options;
  if constexpr (std::same_as<P, DType>)
    options.dtype = part;
  else
    options.device = part;
  return from_blob(data, sizes, options);
}

}  // namespace ordo
