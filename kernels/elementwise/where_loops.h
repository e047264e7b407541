// The loop of where.cpp per device: it moves bits, so one instance serves every dtype of a size. Internal.
#pragma once

#include <ordo/kernels/elementwise/layout.h>

namespace ordo::kernels {

/// out = condition ? a : b. Null a or b stand for the bit patterns beside them.
struct WhereArgs {
  Layout<4> layout;
  void* out;
  const bool* condition;
  const void *a, *b;
  uint64_t a_bits, b_bits;
  size_t element_size;
  Device device;
};

namespace cpu {
void where(const WhereArgs&);
}
namespace cuda {
void where(const WhereArgs&);
}

}  // namespace ordo::kernels
