// The arithmetic of the algorithm `exact` (docs/ordering.md, rule 5): true sums, rounded once; and how both devices add
// for it. A destination has a few doubles, its levels. A value is added to level 0. What that addition rounds away is a
// double as well, and is added to level 1; what that one rounds away, to level 2; and so on. So no bit is lost. What the
// levels hold depends on the order, their sum does not: it is the true one.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include <ordo/engine/tensor/half.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/ordering/exact_rounding.h>

namespace ordo::kernels {

/// Items, and destinations, that exact sums can take.
inline constexpr int64_t kExactMost = int64_t(1) << 31;

/// The exponent field of a float, as if the leading bit of subnormal numbers and zero were that of the smallest normal
/// ones: v is a multiple of 2^(this - 150), and less than 2^24 of them.
ORDO_HD int exact_exponent(float v) {
  const int field = int(ordo::detail::float_bits(v) >> 23 & 0xff);
  return field > 0 ? field : 1;
}
inline constexpr int kExactNotFinite = 255;  // the exponent of infinities and NaNs

/// What becomes of an element with the old content `old` and infinities among its values, or in the old content. A NaN
/// is one of each sign.
template <class T>
ORDO_HD T exact_not_finite_result(T old, bool plus, bool minus) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float before = float(old);
  if (before != before) return old;
  plus |= before == kInfinity;
  minus |= before == -kInfinity;
  return plus && minus ? exact_detail::quiet_nan<T>() : T(minus ? -kInfinity : kInfinity);
}

/// What `sum`, the rounded sum of a and b, has less than a + b: a double, of which no bit is missing (Dekker, "A
/// floating-point technique for extending the available precision", 1971). Finite numbers.
ORDO_HD double rounded_away(double a, double b, double sum) {
  const uint64_t magnitude = ~uint64_t(0) >> 1;
  const bool swapped = (exact_detail::to_bits(a) & magnitude) < (exact_detail::to_bits(b) & magnitude);
  const double larger = swapped ? b : a, smaller = swapped ? a : b;
  return smaller - (sum - larger);
}

/// Adds b to a. What that rounds away.
ORDO_HD double add_rounded(double& a, double b) {
  const double before = a;
  a = before + b;
  return rounded_away(before, b, a);
}

/// Levels for so many values (kExactMost at most), of which the last never rounds. With n <= 2^h values, level k gets
/// at most n addends of at most 2^m, m = 128 - k (54 - h): floats are below 2^128. What it holds of them is at most n
/// 2^m, which is a double, and an addition there rounds away at most 2^(m + h - 54). All are multiples of 2^-149, and
/// so level k does not round when m + h + 149 <= 53: when k is (224 + h) / (54 - h) or more.
inline int exact_levels(int64_t values) {
  const int h = std::bit_width(uint64_t(values - 1));
  return 277 / (54 - h) + 1;  // rounded up, and level 0
}
inline constexpr int kMostExactLevels = 13;

namespace exact_detail {

/// A sum of doubles, none of whose bits are lost: parts that do not overlap, the largest last (Shewchuk, "Adaptive
/// precision floating-point arithmetic and fast robust geometric predicates", 1997: Grow-Expansion, Compress).
class Expansion {
 public:
  ORDO_HD void add(double v) {
    int kept = 0;
    for (int i = 0; i < count_; ++i) {
      const double part = add_rounded(v, parts_[i]);
      if (part != 0) parts_[kept++] = part;
    }
    if (v != 0) parts_[kept++] = v;
    count_ = kept;
  }
  /// The sum rounded to odd.
  ORDO_HD double rounded_to_odd() const {
    double top = count_ > 0 ? parts_[count_ - 1] : 0, rest = 0;
    for (int i = count_ - 2; i >= 0 && rest == 0; --i) rest = add_rounded(top, parts_[i]);
    return round_to_odd(top, rest);
  }

 private:
  double parts_[kMostExactLevels + 1];
  int count_ = 0;
};

}  // namespace exact_detail

/// What becomes of an element with the old content `old`. level(k) is what level k has of its values, 0 <= k < levels.
/// Values whose sum is zero leave the old content as it is, bit for bit. Finite numbers.
template <class T, class Level>
ORDO_HD T exact_result(T old, int levels, const Level& level) {
  const double before = double(float(old));
  double sum = level(0);
  const double rest = add_rounded(sum, before);
  bool deeper = false;
  for (int k = 1; k < levels; ++k) deeper |= level(k) != 0;
  if (deeper) {
    exact_detail::Expansion all;
    all.add(before);
    for (int k = levels - 1; k >= 0; --k) all.add(level(k));
    sum = all.rounded_to_odd();
  } else {
    sum = exact_detail::round_to_odd(sum, rest);
  }
  if (sum == 0) return before == 0 ? old : T(0.0f);
  return exact_detail::round_to<T>(sum);
}

}  // namespace ordo::kernels
