// What both devices compute with segments. Internal.
#pragma once

#include <limits>
#include <type_traits>

#include <ordo/engine/dtype.h>
#include <ordo/engine/host_device.h>
#include <ordo/engine/index_check.h>
#include <ordo/kernels/accumulate/factor.h>
#include <ordo/kernels/ordering/ordered_sum.h>
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

template <class V>
ORDO_HD V number(V v) {
  return v;
}
template <class V>
ORDO_HD V number(Factor<V> f) {
  return f.value;
}
template <class V>
ORDO_HD V number(Greatest<V> g) {
  return g.value;
}

struct SegmentArgs {
  Segments segments;
  int64_t columns;
  SegmentReduction reduction;
  bool has_initial;
  double initial;
};

/// What becomes of a value before, and of a segment's result after it was formed. Acc is what is added: V, Factor<V> or
/// Greatest<V>, of which the least is the greatest negative.
template <class V, class Acc>
struct SegmentRule {
  bool mean, negate, has_initial;
  V initial;
  explicit SegmentRule(const SegmentArgs& a)
      : mean(a.reduction == SegmentReduction::mean),
        negate(a.reduction == SegmentReduction::min),
        has_initial(a.has_initial),
        initial(V(a.initial)) {}
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
    const V v = number(sum);
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

/// Long segments on CUDA: the groups of 64 that rule 1 adds first have a place each in memory, [rows, places(),
/// columns].
struct GroupPlaces {
  Segments segments;
  ORDO_HD int64_t places() const { return segments.size / kOrderedGroup + segments.per_row + 1; }
  /// The first place of a row's segment, which leaves room for the groups of those before.
  ORDO_HD int64_t first(const int64_t* offsets, int64_t segment) const {
    return clamped(offsets[segment]) / kOrderedGroup + segment;
  }
  ORDO_HD int64_t clamped(int64_t v) const { return v < 0 ? 0 : v < segments.size ? v : segments.size; }
};

/// Element t of these: the sum of a group, if the place belongs to one.
template <class T, class Acc>
struct SumGroup {
  using V = accumulate_t<T>;
  GroupPlaces groups;
  int64_t columns;
  SegmentRule<V, Acc> rule;
  const T* x;
  V* sums;
  ORDO_HD void operator()(int64_t t) const {
    const Segments& s = groups.segments;
    const int64_t place = t / columns, column = t - place * columns, row = place / groups.places();
    const int64_t at = place - row * groups.places(), *offsets = s.offsets + row * (s.per_row + 1);
    int64_t segment = 0, behind = s.per_row;  // the last segment that begins at `at` or before
    while (segment + 1 < behind) {
      const int64_t middle = segment + (behind - segment) / 2;
      if (groups.first(offsets, middle) <= at)
        segment = middle;
      else
        behind = middle;
    }
    const int64_t group = at - groups.first(offsets, segment), end = groups.clamped(offsets[segment + 1]);
    const int64_t begin = groups.clamped(offsets[segment]) + group * kOrderedGroup;
    Acc sum = kNoValue<Acc>;
    if (group >= 0) {
      const int64_t last = end - begin < kOrderedGroup ? end : begin + kOrderedGroup;
      for (int64_t i = begin; i < last; ++i) sum += rule.in(V(x[(row * s.size + i) * columns + column]));
    }
    sums[t] = number(sum);
  }
};

/// Element t of the result, of these sums.
template <class T, class Acc>
struct SumOfGroups {
  using V = accumulate_t<T>;
  GroupPlaces groups;
  int64_t columns;
  SegmentRule<V, Acc> rule;
  const V* sums;
  T* out;
  ORDO_HD void operator()(int64_t t) const {
    const Segments& s = groups.segments;
    const int64_t segment = t / columns, column = t - segment * columns, row = segment / s.per_row;
    const int64_t within = segment - row * s.per_row, *offsets = s.offsets + row * (s.per_row + 1);
    const int64_t count = groups.clamped(offsets[within + 1]) - groups.clamped(offsets[within]);
    const V* from = sums + (row * groups.places() + groups.first(offsets, within)) * columns + column;
    OrderedSum<Acc> sum;
    for (int64_t i = 0; i < count; i += kOrderedGroup, from += columns) sum.push(Acc(*from));
    out[t] = T(rule.out(sum.result(), count < 0 ? 0 : count));
  }
};

/// Element t of the expansion. On CUDA, where offsets may be wrong: each looks for its segment.
template <class T>
struct ExpandElement {
  Segments segments;
  int64_t columns;
  const T* x;
  T* out;
  ORDO_HD void operator()(int64_t t) const {
    const int64_t slice = t / columns, row = slice / segments.size, at = slice - row * segments.size;
    const int64_t* offsets = segments.offsets + row * (segments.per_row + 1);
    int64_t first = 0, last = segments.per_row + 1;  // of the offsets, the first that is above `at` is in [first, last]
    while (first < last) {
      const int64_t middle = first + (last - first) / 2;
      if (offsets[middle] <= at)
        first = middle + 1;
      else
        last = middle;
    }
    const bool inside = first > 0 && first <= segments.per_row;
    out[t] = inside ? x[(row * segments.per_row + first - 1) * columns + (t - slice * columns)] : T(0.f);
  }
};

struct CheckOffset {
  Segments segments;
  bool complete;  // the last one of a row is the size
  IndexCheck check;
  ORDO_HD void operator()(int64_t at) const {
    const int64_t value = segments.offsets[at], place = at % (segments.per_row + 1);
    if (!check.ok(at, value, segments.size + 1)) return;
    if (place > 0 && value < segments.offsets[at - 1]) check.ok(at, value, 0);
    if (complete && place == segments.per_row && value != segments.size) check.ok(at, value, 0);
  }
};

/// Calls f.operator()<Acc>() with the type that is added.
template <class V, class F>
void with_segment_sum(SegmentReduction reduction, const F& f) {
  switch (reduction) {
    case SegmentReduction::prod:
      return f.template operator()<Factor<V>>();
    case SegmentReduction::max:
    case SegmentReduction::min:
      return f.template operator()<Greatest<V>>();
    default:
      return f.template operator()<V>();
  }
}

// Per device; tensors are contiguous.
namespace cpu {
void check_offsets(const CheckOffset& f, int64_t count, Device device);
void segment_reduce(const SegmentArgs& args, const Tensor& data, const Tensor& out);
void segment_expand(const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out);
}  // namespace cpu
namespace cuda {
void check_offsets(const CheckOffset& f, int64_t count, Device device);
void segment_reduce(const SegmentArgs& args, const Tensor& data, const Tensor& out);
void segment_expand(const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out);
}  // namespace cuda

}  // namespace ordo::kernels
