// From the size of an element to an unsigned integer type, for code that moves or compares bits and so is the same for
// all dtypes of a size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ordo {

/// Calls f with an unsigned integer of that many bytes: 1, 2, 4 or 8.
template <class F>
decltype(auto) dispatch_word(size_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    default:
      return f.template operator()<uint64_t>();
  }
}

}  // namespace ordo
