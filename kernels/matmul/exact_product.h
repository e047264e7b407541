// Products whose elements are the true sums of products, rounded once: ordering rule 5. Internal.
//
// Products of two floats are exact in double. Their sum by rule 3 in double has an error of at most a bound, which
// follows from the number of its additions and the norms of row and column; none at all where all sums are few multiples
// of one power of two, as of integers. Where the bound cannot change the rounding, which is nearly always, the sum is
// rounded; else the element is added anew, with no bit lost.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/exact_rounding.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels {

/// A sum of products of floats in which every bit has its place: multiples of 2^-298 in digits of 32 bits. Any number
/// of products; after `most` of them a digit may be full, and is carried.
template <int most = 1 << 29>
class ProductSum {
 public:
  /// `product` is one of two floats, or a float.
  ORDO_HD void add(double product) {
    const int64_t bits = int64_t(exact_detail::to_bits(product));
    negative_zero_ &= bits == INT64_MIN;
    const int field = int(bits >> 52 & 0x7ff);
    if (field == 0) return;  // a zero: products of floats are normal doubles
    uint64_t significand = (uint64_t(bits) & 0xfffffffffffffu) | uint64_t(1) << 52;
    int place = field - 1075 + 298;
    if (place < 0) significand >>= -place, place = 0;  // zeros
    const int digit = place / 32, shift = place % 32;
    const uint64_t low = (significand & kDigit) << shift, high = (significand >> 32) << shift;
    const int64_t sign = bits < 0 ? -1 : 1;
    digits_[digit] += sign * int64_t(low & kDigit);
    digits_[digit + 1] += sign * int64_t((low >> 32) + (high & kDigit));
    digits_[digit + 2] += sign * int64_t(high >> 32);
    if (++added_ == most) carry();
  }
  /// To nearest, ties to even. A sum of zero is +0, unless all products were -0.
  template <class T>
  ORDO_HD T rounded() {
    carry();
    const bool negative = digits_[kDigits - 1] < 0;
    if (negative) {
      for (int64_t& digit : digits_) digit = -digit;
      carry();
    }
    int top = kDigits - 1;
    while (top > 0 && digits_[top] == 0) --top;
    if (digits_[top] == 0) return T(negative_zero_ ? -0.0f : 0.0f);
    // The leading 53 bits, of three digits; the last of them says whether anything follows.
    uint64_t lead = uint64_t(digits_[top]), rest = 0;
    int exponent = 32 * top - 298;
    for (int below = 1; below <= 2; ++below) {
      const uint64_t digit = top >= below ? uint64_t(digits_[top - below]) : 0;
      int room = 0;
      while (room < 32 && lead >> (63 - room) == 0) ++room;
      lead = lead << room | digit >> (32 - room);
      rest |= room == 32 ? 0 : digit & (kDigit >> room);
      exponent -= room;
    }
    for (int i = top - 3; i >= 0; --i) rest |= uint64_t(digits_[i]);
    const double value = ldexp(double(lead >> 11), exponent + 11);
    const double odd = exact_detail::round_to_odd(value, (lead & 0x7ff) != 0 || rest != 0 ? value : 0.0);
    return exact_detail::round_to<T>(negative ? -odd : odd);
  }

 private:
  static constexpr int kDigits = 20;  // up to 2^342
  static constexpr uint64_t kDigit = 0xffffffffu;
  /// All digits but the last into [0, 2^32).
  ORDO_HD void carry() {
    int64_t over = 0;
    for (int i = 0; i + 1 < kDigits; ++i) {
      const int64_t digit = digits_[i] + over;
      digits_[i] = int64_t(uint64_t(digit) & kDigit);
      over = digit >> 32;
    }
    digits_[kDigits - 1] += over;
    added_ = 0;
  }
  int64_t digits_[kDigits] = {};
  int added_ = 0;
  bool negative_zero_ = true;
};

/// What is rounded: `product` has operands of doubles that are floats, and their sums as its result, [batch, m, n].
struct ExactProduct {
  Gemm product;
  const double *row_norms = nullptr, *column_norms = nullptr;  ///< [batch, m] and [batch, n]
  const double *row_steps = nullptr, *column_steps = nullptr;  ///< powers of two of which all factors are multiples
  const double* bias = nullptr;                                ///< [n], or none
  double bound = 0;                                            ///< of a sum's error, for norms of 1
};

ORDO_DEVICES(void, round_products, const ExactProduct& p, const Tensor& out)
/// The greatest power of two of which all values are multiples, of doubles; infinity where all are zero.
ORDO_DEVICES(void, common_steps, const Tensor& t, const Tensor& out, const ReduceShape& g)

}  // namespace ordo::kernels
