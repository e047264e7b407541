#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/segment_reduce/segments.h>

namespace ordo::kernels::cpu {
namespace {

/// From so many columns on, a segment's are added side by side.
constexpr int64_t kFewColumns = 4;

int64_t grain(const Segments& s, int64_t columns) {
  const int64_t cost = (s.slices() / std::max<int64_t>(1, s.count()) + 1) * columns;
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost));
}

/// Columns [first, first + width) of a segment of `count` slices, of which the first is at `x`.
template <class T, class Acc>
void reduce_columns(const SegmentRule<accumulate_t<T>, Acc>& rule, const T* x, int64_t count, int64_t columns,
                    int64_t first, int width, T* out) {
  using V = accumulate_t<T>;
  OrderedRows<Acc> rows(width);
  for (int64_t i = 0; i < count; ++i) {
    const T* const from = x + i * columns + first;
    if (rule.negate)
      rows.add([from](int j) { return Acc(-V(from[j])); });
    else
      rows.add([from](int j) { return Acc(V(from[j])); });
  }
  const Acc* const sums = rows.finish();
  out += first;
  if (rule.has_initial || count == 0)
    for (int j = 0; j < width; ++j) out[j] = T(rule.out(sums[j], count));
  else if (rule.mean)
    for (int j = 0; j < width; ++j) out[j] = T(number(sums[j]) / V(count));
  else if (rule.negate)
    for (int j = 0; j < width; ++j) out[j] = T(-number(sums[j]));
  else
    for (int j = 0; j < width; ++j) out[j] = T(number(sums[j]));
}

/// One column of a segment, whose values are `stride` apart.
template <class T, class Acc>
T reduce_column(const SegmentRule<accumulate_t<T>, Acc>& rule, const T* x, int64_t count, int64_t stride) {
  using V = accumulate_t<T>;
  const auto fold = [&](int64_t first, int64_t last) {
    Acc sum = kNoValue<Acc>;
    for (int64_t i = first; i < last; ++i) sum += rule.in(V(x[i * stride]));
    return sum;
  };
  if (count <= kOrderedGroup) return T(rule.out(fold(0, count), count));
  OrderedSum<Acc> sums;
  int64_t i = 0;
  for (; i + kOrderedGroup <= count; i += kOrderedGroup) sums.push_group(fold(i, i + kOrderedGroup));
  for (; i < count; ++i) sums.push(rule.in(V(x[i * stride])));
  return T(rule.out(sums.result(), count));
}

/// Calls f(segment, first slice, number of slices) for all segments, in several threads.
template <class F>
void for_segments(const Segments& s, int64_t columns, const F& f) {
  parallel_for(0, s.count(), grain(s, columns), [&](int64_t from, int64_t to) {
    for (int64_t segment = from; segment < to; ++segment) {
      const int64_t row = segment / s.per_row;
      const int64_t* at = s.offsets + segment + row;
      f(segment, row * s.size + at[0], at[1] - at[0]);
    }
  });
}

/// Slices that are in no segment become 0.
template <class T>
void clear_uncovered(const Segments& s, int64_t columns, T* out) {
  parallel_for(0, s.rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.size * columns)),
               [&](int64_t first, int64_t last) {
                 for (int64_t row = first; row < last; ++row) {
                   const int64_t* at = s.offsets + row * (s.per_row + 1);
                   T* line = out + row * s.size * columns;
                   std::fill(line, line + at[0] * columns, T(0.f));
                   std::fill(line + at[s.per_row] * columns, line + s.size * columns, T(0.f));
                 }
               });
}

}  // namespace

void check_offsets(const CheckOffset& f, int64_t count, Device) {
  for (int64_t at = 0; at < count; ++at) f(at);
}

void segment_reduce(const SegmentArgs& a, const Tensor& data, const Tensor& out) {
  const Segments& s = a.segments;
  dispatch_floating("segment_reduce", data.dtype(), [&]<class T>() {
    with_segment_sum<accumulate_t<T>>(a.reduction, [&]<class Acc>() {
      const SegmentRule<accumulate_t<T>, Acc> rule(a);
      const T* const x = data.data<T>();
      T* const to = out.data<T>();
      for_segments(s, a.columns, [&](int64_t segment, int64_t first, int64_t count) {
        const T* from = x + first * a.columns;
        T* at = to + segment * a.columns;
        if (a.columns < kFewColumns)
          for (int64_t c = 0; c < a.columns; ++c) at[c] = reduce_column(rule, from + c, count, a.columns);
        else
          for (int64_t c = 0; c < a.columns; c += kColumnBlock)
            reduce_columns(rule, from, count, a.columns, c, int(std::min<int64_t>(kColumnBlock, a.columns - c)), at);
      });
    });
  });
}

void segment_expand(const Segments& s, int64_t columns, const Tensor& x, const Tensor& out) {
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    clear_uncovered(s, columns, to);
    for_segments(s, columns, [&](int64_t segment, int64_t first, int64_t count) {
      if (columns == 1) {
        std::fill_n(to + first, count, from[segment]);
        return;
      }
      for (int64_t i = 0; i < count; ++i) std::copy_n(from + segment * columns, columns, to + (first + i) * columns);
    });
  });
}

}  // namespace ordo::kernels::cpu
