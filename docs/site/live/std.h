// What Debian's libc++ 14 for WebAssembly has not: std::bit_cast.
#pragma once

#include <bit>
#include <type_traits>

namespace std {
#if !defined(__cpp_lib_bit_cast)
template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif
}  // namespace std
