// What scatter, index_copy and their reductions have in common: shapes, and functors of both devices. Internal.
//
// Item i of a line goes to one of the destinations of that line. The output is [outer, destinations, inner],
// contiguous; the source [outer, items, inner] with any strides, 0 for a number. There is an index for every element
// of the source, or, with `rows`, one of `items` entries for all lines.
#pragma once

#include <bit>
#include <type_traits>

#include <ordo/engine/half.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

struct ScatterShape {
  int64_t outer = 1, destinations = 0, inner = 1, items = 0;
  bool rows = false;
  int64_t outer_stride = 0, item_stride = 0, inner_stride = 0;  // of the source

  ORDO_HD int64_t elements() const { return outer * items * inner; }
  ORDO_HD int64_t places() const { return outer * destinations * inner; }
  ORDO_HD int64_t indices() const { return rows ? items : elements(); }
  /// What an index tells apart: destinations, with `rows`, else places.
  ORDO_HD int64_t slots() const { return rows ? destinations : places(); }

  struct At {
    int64_t outer, item, inner;
  };
  /// Of an element of the source, in row-major order.
  ORDO_HD At at(int64_t element) const {
    if (inner == 1) return outer == 1 ? At{0, element, 0} : At{element / items, element % items, 0};
    const int64_t row = element / inner;
    return outer == 1 ? At{0, row, element % inner} : At{row / items, row % items, element % inner};
  }
  ORDO_HD int64_t item_of(int64_t index) const { return rows ? index : at(index).item; }
  ORDO_HD int64_t place(const At& a, int64_t destination) const {
    return (a.outer * destinations + destination) * inner + a.inner;
  }
  ORDO_HD int64_t slot(int64_t index, int64_t destination) const {
    return rows ? destination : place(at(index), destination);
  }
  ORDO_HD int64_t slot_of_place(int64_t place) const { return rows ? place / inner % destinations : place; }
  ORDO_HD int64_t source(const At& a) const {
    return a.outer * outer_stride + a.item * item_stride + a.inner * inner_stride;
  }
};

struct ScatterArgs {
  ScatterShape shape;
  IndexView index;
  void* output;
  const void* source;
  DType dtype;
  Device device;
};

/// The destination of an item, -1 where the index is out of range, which has been recorded before.
ORDO_HD int64_t known_destination(const IndexView& index, int64_t i) {
  const int64_t d = index.raw(i);
  return uint64_t(d) < uint64_t(index.size) ? d : -1;
}

// -- amax and amin ----------------------------------------------------------------------------------------------------

/// Values as unsigned numbers in the order of amax (of amin): a NaN is the greatest, and +0 is greater (less) than -0.
/// No NaN has key 0 (which no item needs: it changes nothing).
template <class T>
struct OrderedKey {
  using Unsigned = std::conditional_t<sizeof(T) == 1, uint8_t, std::make_unsigned_t<T>>;
  using Key = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static constexpr Unsigned kFlip = std::is_signed_v<T> ? Unsigned(Unsigned(1) << (8 * sizeof(T) - 1)) : Unsigned(0);
  static ORDO_HD Key of(T v, bool max) { return Key(Unsigned((max ? Unsigned(v) : Unsigned(~Unsigned(v))) ^ kFlip)); }
  static ORDO_HD T value(Key key, bool max) {
    const Unsigned bits = Unsigned(Unsigned(key) ^ kFlip);
    return T(max ? bits : Unsigned(~bits));
  }
};

ORDO_HD uint16_t value_bits(Half v) { return v.bits; }
ORDO_HD uint16_t value_bits(BFloat16 v) { return v.bits; }
ORDO_HD uint32_t value_bits(float v) { return detail::float_bits(v); }
ORDO_HD uint64_t value_bits(double v) {
#ifdef __CUDA_ARCH__
  return uint64_t(__double_as_longlong(v));
#else
  return std::bit_cast<uint64_t>(v);
#endif
}
template <class T>
ORDO_HD T value_of_bits(uint64_t bits) {
  if constexpr (std::is_same_v<T, float>) {
    return detail::bits_float(uint32_t(bits));
  } else if constexpr (std::is_same_v<T, double>) {
#ifdef __CUDA_ARCH__
    return __longlong_as_double(int64_t(bits));
#else
    return std::bit_cast<double>(bits);
#endif
  } else {
    T v;
    v.bits = uint16_t(bits);
    return v;
  }
}

template <class T>
requires(!std::is_integral_v<T>) struct OrderedKey<T> {
  using Unsigned = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
  using Key = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>;
  static constexpr Unsigned kSign = Unsigned(Unsigned(1) << (8 * sizeof(T) - 1));
  static constexpr Unsigned kNan = Unsigned(~Unsigned(0));
  static constexpr uint64_t kInfinity = std::is_same_v<T, Half>       ? 0x7c00u
                                        : std::is_same_v<T, BFloat16> ? 0x7f80u
                                        : std::is_same_v<T, float>    ? 0x7f800000u
                                                                      : 0x7ff0000000000000u;
  static constexpr uint64_t kQuietNan = kInfinity | (kInfinity & (~kInfinity + 1)) >> 1;

  static ORDO_HD Key of(T v, bool max) {
    const Unsigned bits = value_bits(v);
    if (Unsigned(bits & Unsigned(~kSign)) > Unsigned(kInfinity)) return Key(kNan);
    const Unsigned up = Unsigned(bits & kSign ? Unsigned(~bits) : Unsigned(bits | kSign));
    return Key(max ? up : Unsigned(~up));
  }
  static ORDO_HD T value(Key key, bool max) {
    const Unsigned given = Unsigned(key);
    if (given == kNan) return value_of_bits<T>(kQuietNan);
    const Unsigned up = max ? given : Unsigned(~given);
    return value_of_bits<T>(up & kSign ? Unsigned(up & Unsigned(~kSign)) : Unsigned(~up));
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
  ScatterShape shape;
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

// -- prod -------------------------------------------------------------------------------------------------------------

/// Products are computed in these types.
template <class F>
void dispatch_product(DType t, F&& f) {
  if (t == float32) return f.template operator()<float>();
  if (t == float64) return f.template operator()<double>();
  f.template operator()<int64_t>();
}

/// Rows of factors: with `rows`, and columns that are neighbours in the source.
template <class T>
struct ProductRows {
  using value_type = Factor<T>;
  int64_t count, outer_stride, item_stride;
  IndexView index;
  const Factor<T>* source;
  ORDO_HD int64_t destination(int64_t item) const { return index[item]; }
  int64_t checked_destination(int64_t item) const { return index.raw(item); }
  ORDO_HD const Factor<T>* address(int64_t item, int64_t outer, int64_t inner) const {
    return source + outer * outer_stride + item * item_stride + inner;
  }
  ORDO_HD Factor<T> value(int64_t item, int64_t outer, int64_t inner) const { return *address(item, outer, inner); }
};

/// Without: every element is an item of one column, and every place a destination.
template <class T>
struct ProductElements {
  using value_type = Factor<T>;
  static constexpr bool kSingleColumn = true;
  int64_t count;
  ScatterShape shape;
  IndexView index;
  const Factor<T>* source;
  ORDO_HD int64_t destination(int64_t element) const {
    const int64_t d = index[element];
    return d < 0 ? -1 : shape.place(shape.at(element), d);
  }
  ORDO_HD Factor<T> value(int64_t element, int64_t) const { return source[shape.source(shape.at(element))]; }
};

template <class T>
ProductRows<T> product_rows(const ScatterArgs& a) {
  return {a.shape.items, a.shape.outer_stride, a.shape.item_stride, a.index, static_cast<const Factor<T>*>(a.source)};
}

}  // namespace ordo::kernels
