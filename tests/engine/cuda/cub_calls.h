// Calls of CUB as tests make them.
#pragma once

#include <ordo/engine/cuda/cub.h>

#include "tests/engine/cuda/device_array.h"

namespace ordo::test {

/// Calls f(temporary memory, its bytes) twice, as CUB wants.
template <class F>
void with_temp_storage(F f) {
  size_t bytes = 0;
  cuda::check(f(nullptr, bytes), "size");
  const Scratch<char> temp(int64_t(bytes > 0 ? bytes : 1), kCuda);
  cuda::check(f(temp.data(), bytes), "call");
}

}  // namespace ordo::test
