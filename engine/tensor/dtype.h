// Element types, DType::float32 or just float32 and so on, and the promotion rules between them (those of PyTorch).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

#include <ordo/engine/tensor/half.h>

namespace ordo {

enum class DType : uint8_t { boolean, uint8, int32, int64, float16, bfloat16, float32, float64 };

inline constexpr DType boolean = DType::boolean, uint8 = DType::uint8, int32 = DType::int32, int64 = DType::int64,
                       float16 = DType::float16, bfloat16 = DType::bfloat16, float32 = DType::float32,
                       float64 = DType::float64;
inline constexpr int kDTypeCount = 8;

/// "float32", "int64", "bool", ...
std::string_view name(DType);
/// The inverse of name(); throws ValueError for an unknown name.
DType dtype_from_name(std::string_view);

std::ostream& operator<<(std::ostream& out, DType dtype);  ///< name()

constexpr size_t size_of(DType t) {
  constexpr size_t sizes[] = {1, 1, 4, 8, 2, 2, 4, 8};
  return sizes[size_t(t) % kDTypeCount];  // a number that is no element type is refused where a tensor is made
}
constexpr bool is_floating(DType t) { return t >= DType::float16; }
constexpr bool is_integral(DType t) { return t < DType::float16; }  ///< bool counts as integral

/// The dtype of a binary operation on tensors of dtypes a and b: the smallest that holds both kinds;
/// float16 with bfloat16 gives float32.
DType promote(DType a, DType b);

namespace detail {
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::uint8;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::int32;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::int64;
};
template <>
struct DTypeOf<Half> {
  static constexpr DType value = DType::float16;
};
template <>
struct DTypeOf<BFloat16> {
  static constexpr DType value = DType::bfloat16;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::float64;
};

template <class T>
struct AccumulateOf {
  using type = T;
};
template <>
struct AccumulateOf<Half> {
  using type = float;
};
template <>
struct AccumulateOf<BFloat16> {
  using type = float;
};
template <>
struct AccumulateOf<bool> {
  using type = int64_t;
};
template <>
struct AccumulateOf<uint8_t> {
  using type = int64_t;
};
template <>
struct AccumulateOf<int32_t> {
  using type = int64_t;
};
}  // namespace detail

template <class T>
inline constexpr DType dtype_of = detail::DTypeOf<T>::value;  ///< of a C++ type: dtype_of<float> is float32

/// The type that sums of T are carried in: float for the half types, int64 for integers, T otherwise.
template <class T>
using accumulate_t = typename detail::AccumulateOf<T>::type;

}  // namespace ordo
