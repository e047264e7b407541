// The distributions as functors shared by CPU and CUDA: draw(own, i) is element i, `own` pointing to the first of its
// 4 / kPerBlock numbers within the block. Internal.
#pragma once

#include <cmath>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/generator.h>
#include <ordo/engine/run/philox.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/math/math.h>

namespace ordo::kernels {

enum class Draw : unsigned char { uniform, normal, integers, bernoulli, bernoulli_each, dropout };

/// Fills `out`, contiguous, with `numel` elements of dtype; x is the input of those that have one.
struct DrawArgs {
  Draw kind;
  int64_t numel = 0;
  void* out = nullptr;
  const void* x = nullptr;
  DType dtype = float32;
  Device device = {};
  GeneratorState state = {};
  double p = 0, q = 0;  // low and high, mean and std, or a probability
  int64_t low = 0;      // of integers
  uint64_t range = 0;
};

/// Ranges up to this are drawn with 32 bits, which favours no value by more than 2^-12.
inline constexpr uint64_t kSmallRange = uint64_t(1) << 20;

ORDO_DEVICES(void, draw, const DrawArgs&)

/// Two numbers as one of 64 bits.
ORDO_HD uint64_t wide(const uint32_t* own) { return uint64_t(own[0]) << 32 | own[1]; }

template <class T>
inline constexpr int kSignificandBits = std::is_same_v<T, double>     ? 53
                                        : std::is_same_v<T, Half>     ? 11
                                        : std::is_same_v<T, BFloat16> ? 8
                                                                      : 24;

template <class T>
struct UniformDraw {
  static constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;
  math_t<T> low, high;
  ORDO_HD T operator()(const uint32_t* own, int64_t) const {
    math_t<T> unit;
    if constexpr (std::is_same_v<T, double>)
      unit = double(wide(own) >> 11) * 0x1p-53;
    else
      unit = float(own[0] >> (32 - kSignificandBits<T>)) / float(1 << kSignificandBits<T>);
    const T v = T(low + (high - low) * unit);
    return math_t<T>(v) < high ? v : T(low);  // rounding may have reached `high`
  }
};

/// Box and Muller, "A note on the generation of random normal deviates", 1958: r cos(a) and r sin(a) with
/// r = sqrt(-2 log u), u in (0, 1], and a uniform angle.
template <class T>
struct NormalDraw {
  static constexpr int kPerBlock = std::is_same_v<T, double> ? 2 : 4;
  math_t<T> mean, deviation;
  ORDO_HD T operator()(const uint32_t* own, int64_t i) const {
    const int odd = int(i & 1);
    if constexpr (std::is_same_v<T, double>) {
      const uint32_t* pair = own - 2 * odd;
      const double u = (double(wide(pair) >> 11) + 1.0) * 0x1p-53;
      const double a = double(wide(pair + 2) >> 11) * 0x1p-53 * 0x1.921fb54442d18p+2;
      const double r = ordo::math::sqrt(-2.0 * ordo::math::log(u));
      return mean + deviation * (r * (odd ? ordo::math::sin_moderate(a) : ordo::math::cos_moderate(a)));
    } else {
      const uint32_t* pair = own - odd;
      return T(mean + deviation * standard(pair[0], pair[1], odd ? 0 : 1));
    }
  }
  /// For results below double: the cosine's (turn 1) or sine's (turn 0) deviate of two 32-bit numbers.
  static ORDO_HD float standard(uint32_t u, uint32_t a, uint64_t turn) { return deviate(radius(u), a, turn); }
  static ORDO_HD double radius(uint32_t u) {
    return ordo::math::sqrt(-2.0 * ordo::math::detail::log_near((double(u) + 1.0) * 0x1p-32));
  }
  static ORDO_HD float deviate(double radius, uint32_t a, uint64_t turn) {
    using namespace ordo::math::detail;
    return float(radius * sin_near(reduce_near(double(a) * (0x1p-32 * 0x1.921fb54442d18p+2)), turn));
  }
};

/// low + floor(u range / 2^32)
template <class T>
struct SmallIntegerDraw {
  static constexpr int kPerBlock = 4;
  int64_t low;
  uint64_t range;
  ORDO_HD T operator()(const uint32_t* own, int64_t) const {
    return convert<T>(int64_t(uint64_t(low) + (own[0] * range >> 32)));
  }
};

/// low + floor(u range / 2^64)
template <class T>
struct IntegerDraw {
  static constexpr int kPerBlock = 2;
  int64_t low;
  uint64_t range;
  ORDO_HD T operator()(const uint32_t* own, int64_t) const {
    return convert<T>(int64_t(uint64_t(low) + uint64_t((unsigned __int128)(wide(own)) * range >> 64)));
  }
};

/// u / 2^32 < p for 32-bit u, as u < ceil(2^32 p): no floating-point number in the loop.
inline uint64_t below(double p) { return uint64_t(std::ceil(p * 0x1p32)); }

template <class T>
struct BernoulliDraw {
  static constexpr int kPerBlock = 4;
  uint64_t limit;  // below(p)
  ORDO_HD T operator()(const uint32_t* own, int64_t) const { return convert<T>(own[0] < limit ? 1 : 0); }
};

template <class T>
struct BernoulliEachDraw {
  static constexpr int kPerBlock = 4;
  const T* p;
  ORDO_HD T operator()(const uint32_t* own, int64_t i) const {
    return T(double(own[0]) * 0x1p-32 < double(math_t<T>(p[i])) ? 1.0f : 0.0f);
  }
};

template <class T>
struct DropoutDraw {
  static constexpr int kPerBlock = 4;
  const T* x;
  uint64_t limit;  // below(p)
  math_t<T> scale;
  ORDO_HD T operator()(const uint32_t* own, int64_t i) const {
    // Masked instead of chosen: a branch on random numbers would be mispredicted.
    const math_t<T> kept = math_t<T>(x[i]) * scale;
    const bool keep = own[0] >= limit;
    if constexpr (std::is_same_v<T, double>)
      return ordo::math::detail::from_bits(ordo::math::detail::to_bits(kept) & (0 - uint64_t(keep)));
    else
      return T(ordo::detail::bits_float(ordo::detail::float_bits(kept) & (0 - uint32_t(keep))));
  }
};

/// loop(draw) with what the arguments ask for.
template <class Loop>
void with_draw(const DrawArgs& args, const Loop& loop) {
  const auto floating = [&](const char* op, const auto& f) { dispatch_floating(op, args.dtype, f); };
  switch (args.kind) {
    case Draw::uniform:
      return floating("uniform_", [&]<class T>() { loop(UniformDraw<T>{math_t<T>(args.p), math_t<T>(args.q)}); });
    case Draw::normal:
      return floating("normal_", [&]<class T>() { loop(NormalDraw<T>{math_t<T>(args.p), math_t<T>(args.q)}); });
    case Draw::integers:
      return dispatch_all("randint", args.dtype, [&]<class T>() {
        // No other type holds all integers of a larger range.
        if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, double>)
          if (args.range > kSmallRange) return loop(IntegerDraw<T>{args.low, args.range});
        loop(SmallIntegerDraw<T>{args.low, args.range});
      });
    case Draw::bernoulli:
      return dispatch_all("bernoulli", args.dtype, [&]<class T>() { loop(BernoulliDraw<T>{below(args.p)}); });
    case Draw::bernoulli_each:
      return floating("bernoulli", [&]<class T>() { loop(BernoulliEachDraw<T>{static_cast<const T*>(args.x)}); });
    case Draw::dropout:
      return floating("dropout", [&]<class T>() {
        loop(DropoutDraw<T>{static_cast<const T*>(args.x), below(args.p), math_t<T>(args.q)});
      });
  }
}

}  // namespace ordo::kernels
