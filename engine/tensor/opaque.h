// Constants that the compiler must not see. Internal.
#pragma once

#include <type_traits>

namespace ordo::detail {

/// `value`. GCC 12.2 with a tuning for Intel's AVX-512 processors copies constants like {1, 1, 0, 0} wrongly
/// (cmake/OrdoCompiler.cmake), also in programs that are built without CMake; of numbers that come from here it does
/// not know that they are constant.
template <class T>
constexpr T opaque(T value) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
  if (!std::is_constant_evaluated()) asm("" : "+r"(value));
#endif
  return value;
}

}  // namespace ordo::detail
