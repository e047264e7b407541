// What scatter's ways to combine compute, for both devices. Internal.
#pragma once

#include <bit>
#include <type_traits>

#include <ordo/engine/tensor/half.h>
#include <ordo/kernels/accumulate/keyed.h>

namespace ordo::kernels {

// -- amax and amin ----------------------------------------------------------------------------------------------------

/// Values as unsigned numbers in the order of amax (of amin): a NaN is the greatest, and +0 is greater (less) than -0.
/// No NaN has key 0 (which no item needs: it changes nothing).
template <class T>
struct OrderedKey {
  using Unsigned = std::conditional_t<
      sizeof(T) == 1, uint8_t,
      std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;
  using Key = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static constexpr bool kInteger = std::is_integral_v<T>;
  static constexpr Unsigned kNan = Unsigned(~Unsigned(0));
  static constexpr Unsigned kSign = std::is_unsigned_v<T> ? 0 : Unsigned(Unsigned(1) << (8 * sizeof(T) - 1));
  static constexpr uint64_t kInfinity = std::is_same_v<T, Half>       ? 0x7c00u
                                        : std::is_same_v<T, BFloat16> ? 0x7f80u
                                        : std::is_same_v<T, float>    ? 0x7f800000u
                                                                      : 0x7ff0000000000000u;
  static constexpr uint64_t kQuietNan = kInfinity | (kInfinity & (~kInfinity + 1)) >> 1;

  static ORDO_HD Key of(T v, bool max) {
    const Unsigned bits = std::bit_cast<Unsigned>(v);
    if (!kInteger && Unsigned(bits & Unsigned(~kSign)) > Unsigned(kInfinity)) return Key(kNan);
    const Unsigned up = Unsigned(!kInteger && bits & kSign ? Unsigned(~bits) : Unsigned(bits ^ kSign));
    return Key(max ? up : Unsigned(~up));
  }
  static ORDO_HD T value(Key key, bool max) {
    const Unsigned given = Unsigned(key);
    if (!kInteger && given == kNan) return std::bit_cast<T>(Unsigned(kQuietNan));
    const Unsigned up = max ? given : Unsigned(~given);
    return std::bit_cast<T>(Unsigned(kInteger || up & kSign ? Unsigned(up ^ kSign) : Unsigned(~up)));
  }
};

// -- mean -------------------------------------------------------------------------------------------------------------

/// An integer's mean is rounded down.
template <class T>
ORDO_HD T divided(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    const int64_t wide = int64_t(sum), quotient = wide / count;
    return T(quotient - (wide % count < 0));
  } else {
    return sum / T(count);
  }
}

/// Of the places that got something. Half types are summed in float.
template <class T>
using mean_sum_t = std::conditional_t<std::is_integral_v<T>, T, accumulate_t<T>>;

template <class T>
struct MeanOfPlace {
  KeyedShape shape;
  T* output;
  const mean_sum_t<T>* sums;
  const int64_t* counts;
  bool include_self;
  ORDO_HD void operator()(int64_t place) const {
    const int64_t count = counts[shape.slot_of_place(place)];
    if (count > 0) write(place, count);
  }
  ORDO_HD void write(int64_t place, int64_t count) const {
    output[place] = T(divided(sums[place], count + include_self));
  }
};

}  // namespace ordo::kernels
