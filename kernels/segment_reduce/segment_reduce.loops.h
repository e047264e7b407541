// Segments, element by element. On CUDA offsets may be out of range or order.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/ordering/partition_point.h>
#include <ordo/kernels/segment_reduce/segment_reduce.h>

namespace ordo::kernels {

/// A number whose sum is the greater one, the first of equal ones; a NaN, the last of several, is greater than all.
template <class V>
struct Greatest {
  V value;
  Greatest() = default;
  ORDO_HD constexpr explicit Greatest(V v) : value(v) {}
  friend ORDO_HD Greatest operator+(Greatest a, Greatest b) {
    return Greatest(((b.value > a.value) | (b.value != b.value)) ? b.value : a.value);  // no branch: it vectorises
  }
  ORDO_HD Greatest& operator+=(Greatest b) { return *this = *this + b; }
};
template <class V>
inline constexpr Greatest<V> kNoValue<Greatest<V>> = Greatest<V>(-std::numeric_limits<V>::infinity());

/// What becomes of a value before, and of a segment's result after it was formed. Acc is what is added: V, Factor<V> or
/// Greatest<V>, of which the least is the greatest negative.
template <class V, class Acc>
struct SegmentRule {
  bool mean, negate, has_initial;
  V initial;
  explicit SegmentRule(const SegmentArgs& a)
      : mean(a.reduction == Reduce::mean),
        negate(a.reduction == Reduce::amin),
        has_initial(a.initial.has_value()),
        initial(V(a.initial.value_or(0))) {}
  ORDO_HD Acc in(V v) const { return Acc(negate ? -v : v); }
  ORDO_HD V out(Acc sum, int64_t count) const {
    if (count == 0) {
      if (has_initial) return initial;
      if (mean) return std::numeric_limits<V>::quiet_NaN();
      if constexpr (std::is_same_v<Acc, V>) return V(0);
      sum = kNoValue<Acc>;
    } else if (has_initial) {
      sum = sum + in(initial);
    }
    V v;
    if constexpr (std::is_same_v<Acc, V>)
      v = sum;
    else
      v = sum.value;
    return negate ? -v : mean && count > 0 ? v / V(count) : v;
  }
};

/// Element t of the result: column t % columns of segment t / columns.
template <class T, class Acc>
struct SegmentElement {
  using V = accumulate_t<T>;
  Segments segments;
  int64_t columns;
  SegmentRule<V, Acc> rule;
  const T* x;
  T* out;
  ORDO_HD void operator()(int64_t t) const {
    const int64_t segment = t / columns, column = t - segment * columns, row = segment / segments.per_row;
    const int64_t* at = segments.offsets + segment + row;
    const int64_t begin = clamped(at[0]), end = clamped(at[1]);
    const T* from = x + (row * segments.size + begin) * columns + column;
    OrderedSum<Acc> sum;
    for (int64_t i = begin; i < end; ++i, from += columns) sum.push(rule.in(V(*from)));
    out[t] = T(rule.out(sum.result(), sum.count()));
  }
  // What is out of range is reported elsewhere; here it must only do no harm.
  ORDO_HD int64_t clamped(int64_t v) const { return v < 0 ? 0 : v < segments.size ? v : segments.size; }
};

/// Element t of the expansion, which looks for its segment.
template <class T>
struct ExpandElement {
  Segments segments;
  int64_t columns;
  const T* x;
  T* out;
  ORDO_HD void operator()(int64_t t) const {
    const int64_t slice = t / columns, row = slice / segments.size, at = slice - row * segments.size;
    const int64_t* offsets = segments.offsets + row * (segments.per_row + 1);
    const int64_t first = partition_point(0, segments.per_row + 1, [&](int64_t i) { return offsets[i] <= at; });
    const bool inside = first > 0 && first <= segments.per_row;
    out[t] = inside ? x[(row * segments.per_row + first - 1) * columns + (t - slice * columns)] : T(0.f);
  }
};

struct CheckOffset {
  Segments segments;
  OffsetRule rule;
  IndexCheck check;
  ORDO_HD void operator()(int64_t at) const {
    const int64_t value = segments.offsets[at], place = at % (segments.per_row + 1);
    if (!check.ok(at, value, rule.from_zero && place == 0 ? 1 : segments.size + 1)) return;
    if (place > 0 && value < segments.offsets[at - 1]) check.ok(at, value, 0);
    if (rule.to_size && place == segments.per_row && value != segments.size) check.ok(at, value, 0);
  }
};

namespace ORDO_LOOPS_DEVICE {

void check_offsets(const Segments& segments, const OffsetRule& rule, const IndexCheck& check, Device device) {
  each(segments.rows * (segments.per_row + 1), CheckOffset{segments, rule, check}, device);
}

void segment_reduce(const SegmentArgs& a, const Tensor& data, const Tensor& out) {
  dispatch_floating("segment_reduce", data.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    const auto adding = [&]<class Acc>() {
      each_of(a.segments.slices() / std::max<int64_t>(1, a.segments.count()) + 1, out.numel(),
              SegmentElement<T, Acc>{a.segments, a.columns, SegmentRule<V, Acc>(a), data.data<T>(), out.data<T>()},
              data.device());
    };
    if (a.reduction == Reduce::prod) return adding.template operator()<Factor<V>>();
    const bool extreme = a.reduction == Reduce::amax || a.reduction == Reduce::amin;
    extreme ? adding.template operator()<Greatest<V>>() : adding.template operator()<V>();
  });
}

void segment_expand(const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out) {
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    each(out.numel(), ExpandElement<T>{segments, columns, x.data<T>(), out.data<T>()}, x.device());
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
