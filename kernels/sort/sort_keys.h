// Elements as unsigned integers in the same order; shared by both devices. Internal.
#pragma once

#include <cstring>

#include <ordo/kernels/elementwise/math_bits.h>
#include <ordo/kernels/indexing/pick.h>
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
    switch (dtype) {
      case DType::boolean:
        return element_key(static_cast<const bool*>(x)[i]);
      case DType::uint8:
        return element_key(static_cast<const uint8_t*>(x)[i]);
      case DType::int32:
        return element_key(static_cast<const int32_t*>(x)[i]);
      case DType::int64:
        return element_key(static_cast<const int64_t*>(x)[i]);
      case DType::float16:
        return element_key(static_cast<const Half*>(x)[i]);
      case DType::bfloat16:
        return element_key(static_cast<const BFloat16*>(x)[i]);
      case DType::float32:
        return element_key(static_cast<const float*>(x)[i]);
      default:
        return element_key(static_cast<const double*>(x)[i]);
    }
  }
  ORDO_HD uint64_t operator()(int64_t i) const {
    const uint64_t key = ascending(i);
    return descending ? ~key & greatest_key(int(size_of(dtype)) * 8) : key;
  }
  ORDO_HD bool is_nan(int64_t i) const {
    return is_floating(dtype) && ascending(i) == greatest_key(int(size_of(dtype)) * 8);
  }
};

/// The place of the median in a line, in ascending order, whose last `nans` elements are NaN: the lower one of two. One
/// NaN makes a median NaN; a nanmedian does not count them.
ORDO_HD int64_t median_place(int64_t length, int64_t nans, bool ignore_nans) {
  if (nans == 0) return (length - 1) / 2;
  if (!ignore_nans) return length - nans;
  return nans == length ? 0 : (length - nans - 1) / 2;
}

/// Walks a sorted line for its commonest value. No NaN equals another.
struct ModeOfLine {
  KeyOf key;
  const int64_t* indices;
  int64_t length;
  int64_t* last_places;
  ORDO_HD void operator()(int64_t line) const {
    const int64_t* at = indices + line * length;
    int64_t best = 0, best_count = 0, count = 0;
    uint64_t before = 0;
    for (int64_t i = 0; i < length; ++i) {
      const uint64_t k = key(line * length + at[i]);
      count = i > 0 && k == before && !key.is_nan(line * length + at[i]) ? count + 1 : 1;
      before = k;
      if (count > best_count) best_count = count, best = at[i];
    }
    last_places[line] = best;
  }
};

struct PutAlongArgs {
  GatherShape shape;  // sizes of the index, strides of the result
  const void* x;
  const int64_t* index;
  void* out;
  int64_t count;
  size_t element_size;
  Device device;
};
template <class Word>
struct PutAlongElement {
  PutAlongArgs a;
  ORDO_HD void operator()(int64_t i) const {
    int64_t at = 0, rest = i;
    for (int d = a.shape.rank - 1; d >= 0; --d) {
      const int64_t q = rest / a.shape.sizes[d];
      at += (d == a.shape.dim ? a.index[i] : rest - q * a.shape.sizes[d]) * a.shape.strides[d];
      rest = q;
    }
    static_cast<Word*>(a.out)[at] = static_cast<const Word*>(a.x)[i];
  }
};

}  // namespace ordo::kernels
