// The per-device halves of copy_, fill_ and triangles, on operands of one device. Internal.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/elementwise/layout.h>

namespace ordo::kernels {

/// Operand 0 is written, operand 1 read.
struct CopyArgs {
  Layout<2> layout;
  void* to;
  const void* from;
  DType to_dtype, from_dtype;
  Device device;
};

/// Writes `pattern`, the low bytes of one element, to every element.
struct FillArgs {
  Layout<1> layout;
  void* to;
  uint64_t pattern;
  size_t element_size;
  Device device;
};

/// The bits of the element that `value` is in this dtype, as the low bytes.
uint64_t element_bits(Scalar value, DType dtype);

/// A copy whose operands are each contiguous along different dimensions is done in square tiles, so that both sides are
/// touched by whole cache lines. The dimension along which operand 1 is contiguous, or 0 when tiles do not apply.
inline int tiled_dimension(const Layout<2>& l) {
  if (l.rank < 2 || l.strides[0][0] != 1 || l.strides[1][0] == 1 || l.strides[1][0] == 0 || l.sizes[0] < 8) return 0;
  for (int d = 1; d < l.rank; ++d)
    if (l.strides[1][d] == 1 && l.sizes[d] >= 8) return d;
  return 0;
}

/// The dimensions other than 0 and d, counted over; rank 0 when there are none.
inline Layout<2> without_tile(const Layout<2>& l, int d) {
  Layout<2> outer;
  outer.rank = 0;
  outer.numel = 1;
  for (int k = 1; k < l.rank; ++k) {
    if (k == d) continue;
    outer.sizes[outer.rank] = l.sizes[k];
    for (int o = 0; o < 2; ++o) outer.strides[o][outer.rank] = l.strides[o][k];
    outer.numel *= l.sizes[k];
    ++outer.rank;
  }
  return outer;
}

ORDO_DEVICES(void, copy, const CopyArgs&)
ORDO_DEVICES(void, fill, const FillArgs&)
/// In row i the columns before i + start are copied and the others zero, or the other way round. Both contiguous.
ORDO_DEVICES(void, triangle, const Tensor& in, const Tensor& out, int64_t start, bool lower)

}  // namespace ordo::kernels
