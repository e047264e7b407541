// Binary search. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/host_device.h>

namespace ordo::kernels {

/// The first i in [first, last) for which is_before(i) is false, or last; all for which it is true stand before it.
template <class F>
ORDO_HD int64_t partition_point(int64_t first, int64_t last, const F& is_before) {
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (is_before(middle))
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

}  // namespace ordo::kernels
