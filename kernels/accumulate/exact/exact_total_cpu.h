// The sum of any floats, one after the other, as a number of 384 bits. Internal to exact_cells_cpu.h and exact_cpu.h.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include <ordo/kernels/accumulate/exact/exact.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// The exact sum of floats, and of doubles that are sums of floats: multiples of 2^-149. Slow, and never wrong; for the
/// few cells that the loops over doubles cannot do.
class ExactTotal {
 public:
  void add(double v) {
    const uint64_t bits = std::bit_cast<uint64_t>(v), significand = bits & ((uint64_t(1) << 52) - 1);
    const int exponent = int(bits >> 52 & 0x7ff);
    if (exponent == 0x7ff) {
      infinities_ |= v != v ? 3 : v > 0 ? 1 : 2;
      return;
    }
    if (exponent == 0) return;  // zero: multiples of 2^-149 are no subnormal doubles
    uint64_t whole = significand | uint64_t(1) << 52;
    int place = exponent - 1075 + 149;  // of the last bit
    if (place < 0) whole >>= -place, place = 0;
    const size_t limb = size_t(place) / 32;
    const int64_t low = int64_t((whole & kDigit) << place % 32), high = int64_t((whole >> 32) << place % 32);
    const int64_t sign = v < 0 ? -1 : 1;
    limbs_[limb] += sign * (low & kDigit);
    limbs_[limb + 1] += sign * (int64_t(uint64_t(low) >> 32) + (high & kDigit));
    limbs_[limb + 2] += sign * (high >> 32);
    if (++added_ == kMostAdded) carry();
  }

  void add(const ExactTotal& other) {
    carry();
    for (size_t k = 0; k < limbs_.size(); ++k) limbs_[k] += other.limbs_[k];
    carry();
    infinities_ |= other.infinities_;
  }

  /// What becomes of an element with the old content `old`.
  template <class T>
  T result(T old) const {
    const float before = float(old);
    if (infinities_ != 0 || exact_exponent(before) == kExactNotFinite)
      return exact_not_finite_result(old, (infinities_ & 1) != 0, (infinities_ & 2) != 0);
    ExactTotal all = *this;
    all.add(double(before));
    all.carry();
    const bool negative = all.limbs_.back() < 0;
    if (negative) {
      for (int64_t& limb : all.limbs_) limb = -limb;
      all.carry();
    }
    // The highest digit that is not zero, the one below it without its last bits, and whether there are others.
    size_t top = all.limbs_.size() - 1;
    while (top > 0 && all.limbs_[top] == 0) --top;
    const auto digit = [&](size_t below) { return top >= below ? uint64_t(all.limbs_[top - below]) : 0; };
    uint64_t rest = digit(1) & 7;
    for (size_t k = 2; k <= top; ++k) rest |= digit(k);
    const int64_t leading = int64_t(digit(0) << 29 | digit(1) >> 3) << 1 | int64_t(rest != 0);
    // A sum of zero leaves a zero as it is, bit for bit, and any other content is what it rounds to.
    if (leading == 0 && before == 0) return old;
    const double t = double(leading), sum = exact_detail::round_to_odd(t, double(leading - int64_t(t)));
    return exact_detail::round_to<T>(std::ldexp(negative ? -sum : sum, int(top) * 32 - 149 - 30));
  }

 private:
  static constexpr int64_t kDigit = 0xffffffff, kMostAdded = int64_t(1) << 28;

  // Digits of 32 bits again, all but the highest, which has the sign.
  void carry() {
    for (size_t k = 0; k + 1 < limbs_.size(); ++k) {
      limbs_[k + 1] += limbs_[k] >> 32;
      limbs_[k] &= kDigit;
    }
    added_ = 0;
  }
  // Multiples of 2^(32 k - 149). 2^31 floats and as many sums of them stay below 2^191, that is below limb 11.
  std::array<int64_t, 12> limbs_{};
  int64_t added_ = 0;
  int infinities_ = 0;  // 1: a positive one, 2: a negative one
};

}  // namespace ordo::kernels::cpu::accumulate_detail
