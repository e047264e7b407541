// Products of bfloat16 by the instruction that multiplies pairs, vdpbf16ps, in the order of rule 3. Intel's manual says, and
// pairs_are_used() tests, that it adds the product of the high halves to the sum, fused, and then that of the low halves;
// so the first element of a pair is its high half. It takes subnormal numbers as zeros: are_normal() says where there are
// none. Included once for each target of Highway's. Internal.
#if defined(ORDO_PAIRS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ORDO_PAIRS_INL_H
#undef ORDO_PAIRS_INL_H
#else
#define ORDO_PAIRS_INL_H
#endif

#include <ordo/kernels/vectors/lanes-inl.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#undef ORDO_MULTIPLIES_PAIRS
#if HWY_ARCH_X86_64 && HWY_TARGET == HWY_AVX3 && defined(__GNUC__)
#define ORDO_MULTIPLIES_PAIRS 1
#else
#define ORDO_MULTIPLIES_PAIRS 0
#endif

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu::HWY_NAMESPACE {

/// Two elements of a row of the first matrix, or of a column of the second. As a number, so that they are loaded at once.
enum class Pair : uint32_t {};

HWY_INLINE Pair pair_of(uint16_t first, uint16_t second) { return Pair(uint32_t(first) << 16 | second); }

#if ORDO_MULTIPLIES_PAIRS

template <>
struct Lanes<Pair> {
  using Tag = hn::ScalableTag<uint32_t>;
  static constexpr int64_t count = int64_t(hn::MaxLanes(Tag()));
  hn::Vec<Tag> v;

  HWY_INLINE Lanes() {}
  HWY_INLINE Lanes(hn::Vec<Tag> lanes) : v(lanes) {}
  static HWY_INLINE Lanes load(const Pair* from) { return {hn::LoadU(Tag(), reinterpret_cast<const uint32_t*>(from))}; }
  static HWY_INLINE Lanes all(Pair value) { return {hn::Set(Tag(), uint32_t(value))}; }
  HWY_INLINE void store(Pair* to) const { hn::StoreU(v, Tag(), reinterpret_cast<uint32_t*>(to)); }
  /// sum + the products of the first elements, rounded, + those of the second, rounded.
  static HWY_INLINE Lanes<float> fused(Lanes a, Lanes b, Lanes<float> sum) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum.v.raw) : "v"(a.v.raw), "v"(b.v.raw));
    return sum;
  }
};

// Elements (k, j), for k < depth and j < cols, at from[k * row + j * col], as pairs of k and k + 1 at
// to[k / 2 * to_row + j * to_col]. `row` or `col` is 1. An odd depth ends with a pair of which one element is `none`.
inline void copy_pairs(const BFloat16* HWY_RESTRICT from, int64_t row, int64_t col, int64_t depth, int64_t cols,
                       uint16_t none, Pair* HWY_RESTRICT to, int64_t to_row, int64_t to_col) {
  const auto* const bits = reinterpret_cast<const uint16_t*>(from);
  const int64_t pairs = depth / 2;
  int64_t done = 0;  // columns
  if (row == 1 && to_col == 1) {
    constexpr int64_t kTogether = 4, kLanes = Lanes<Pair>::count;  // pairs of 16 bytes
    const int64_t whole = pairs / kTogether * kTogether;
    for (; done + kLanes <= cols; done += kLanes) {
      for (int64_t p = 0; p < whole; p += kTogether) {
        hn::Vec<Lanes<Pair>::Tag> columns[kTogether];
        load_numbers(Lanes<Pair>::Tag(), from + done * col + 2 * p, col, columns);
#pragma GCC unroll 4
        for (int64_t c = 0; c < kTogether; ++c)
          Lanes<Pair>(hn::RotateRight<16>(columns[c])).store(to + (p + c) * to_row + done);
      }
      for (int64_t p = whole; p < pairs; ++p)
        for (int64_t j = done; j < done + kLanes; ++j)
          to[p * to_row + j] = pair_of(bits[2 * p + j * col], bits[2 * p + 1 + j * col]);
    }
  }
  if (row == 1) {
    for (int64_t j = done; j < cols; ++j)
      for (int64_t p = 0; p < pairs; ++p)
        to[p * to_row + j * to_col] = pair_of(bits[2 * p + j * col], bits[2 * p + 1 + j * col]);
  } else {
    for (int64_t p = 0; p < pairs; ++p)
      for (int64_t j = 0; j < cols; ++j)
        to[p * to_row + j * to_col] = pair_of(bits[2 * p * row + j], bits[(2 * p + 1) * row + j]);
  }
  if (depth % 2 != 0)
    for (int64_t j = 0; j < cols; ++j)
      to[pairs * to_row + j * to_col] = pair_of(bits[(depth - 1) * row + j * col], none);
}

// Of elements that are not 0, the smallest exponent as it is stored; 255 where there are none. `row` or `col` is 1, or the
// extent that it steps over.
inline int smallest_exponent(const BFloat16* from, int64_t row, int64_t col, int64_t depth, int64_t cols) {
  if (col != 1 && cols > 1) {  // then rows lie side by side
    std::swap(row, col);
    std::swap(depth, cols);
  }
  uint16_t smallest = 0xffff;  // its bits without the sign, less one: 0 becomes the largest number
  for (int64_t k = 0; k < depth; ++k) {
    const auto* const bits = reinterpret_cast<const uint16_t*>(from + k * row);
    for (int64_t j = 0; j < cols; ++j) smallest = std::min(smallest, uint16_t((bits[j] & 0x7fff) - 1));
  }
  return smallest == 0xffff ? 255 : (smallest + 1) >> 7;
}

// Whether no element, product or sum of the products of two such matrices is subnormal. A number of exponent e is a multiple of 2^(e - 134).
// So where products are multiples of 2^-126, their sums are, too, and as floats.
inline bool are_normal(int exponent, int other) {
  return exponent > 0 && other > 0 && exponent + other >= 2 * 134 - 126;
}

#endif

}  // namespace ordo::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
