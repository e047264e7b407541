// Elements as unsigned integers in the same order; shared by both devices. Internal.
#pragma once

#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/math/math_bits.h>
#include <ordo/kernels/sort/sort.h>

namespace ordo::kernels {

inline int key_bits(DType t) { return int(size_of(t)) * 8; }
/// The greatest key of that many bits: a NaN's.
ORDO_HD uint64_t greatest_key(int bits) { return ~uint64_t(0) >> (64 - bits); }

/// The bits of a floating-point number in the order of the numbers; zeros are equal, NaNs greatest and equal.
ORDO_HD uint64_t float_key(uint64_t bits, int width, uint64_t infinity) {
  const uint64_t sign = uint64_t(1) << (width - 1), all = greatest_key(width);
  if ((bits & ~sign) > infinity) return all;
  if (bits == sign) return sign;
  return bits & sign ? ~bits & all : bits | sign;
}

ORDO_HD uint64_t element_key(bool v) { return uint64_t(v); }
ORDO_HD uint64_t element_key(uint8_t v) { return v; }
ORDO_HD uint64_t element_key(int32_t v) { return uint32_t(v) ^ 0x80000000u; }
ORDO_HD uint64_t element_key(int64_t v) { return uint64_t(v) ^ 0x8000000000000000u; }
ORDO_HD uint64_t element_key(Half v) { return float_key(v.bits, 16, 0x7c00); }
ORDO_HD uint64_t element_key(BFloat16 v) { return float_key(v.bits, 16, 0x7f80); }
ORDO_HD uint64_t element_key(float v) { return float_key(ordo::detail::float_bits(v), 32, 0x7f800000u); }
ORDO_HD uint64_t element_key(double v) { return float_key(math::detail::to_bits(v), 64, 0x7ff0000000000000u); }

/// Keys of a tensor whose dtype is known at run time.
struct KeyOf {
  const void* x;
  DType dtype;
  bool descending;
  ORDO_HD uint64_t ascending(int64_t i) const {
    return with_type(dtype, [&]<class T>() { return element_key(static_cast<const T*>(x)[i]); });
  }
  ORDO_HD uint64_t operator()(int64_t i) const {
    const uint64_t key = ascending(i);
    return descending ? ~key & greatest_key(int(size_of(dtype)) * 8) : key;
  }
  ORDO_HD bool is_nan(int64_t i) const {
    return is_floating(dtype) && ascending(i) == greatest_key(int(size_of(dtype)) * 8);
  }
};

/// The first of the wanted places of a line in order, whose last `nans` elements are NaN. A median is the lower one of
/// two; one NaN makes it NaN. A nanmedian does not count them.
ORDO_HD int64_t first_place(const Selection& selection, int64_t length, int64_t nans) {
  if (selection.kind == Selection::Kind::range) return selection.from;
  if (nans == 0) return (length - 1) / 2;
  if (selection.kind == Selection::Kind::median) return length - nans;
  return nans == length ? 0 : (length - nans - 1) / 2;
}

}  // namespace ordo::kernels
