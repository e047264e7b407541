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

/// The gradient of columns [first, first + width) of one segment's product: of the only 0 the product of the others,
/// else a quotient. All are rounded where the public operations round.
template <class T>
void product_gradient(const SegmentRule<accumulate_t<T>, Factor<accumulate_t<T>>>& rule, const T* grad, const T* x,
                      const T* result, int64_t count, int64_t columns, int64_t first, int width, T* out) {
  using V = accumulate_t<T>;
  int zeros[kColumnBlock];
  T of_zero[kColumnBlock], weighted[kColumnBlock];
  std::fill_n(zeros, width, 0);
  for (int64_t i = 0; i < count; ++i)
    for (int j = 0; j < width; ++j) zeros[j] += zeros[j] < 2 && V(x[i * columns + first + j]) == V(0);
  for (int j = 0; j < width; ++j) {
    weighted[j] = T(V(grad[first + j]) * V(result[first + j]));
    of_zero[j] = T(0.f);
    if (zeros[j] != 1) continue;
    OrderedSum<Factor<V>> others;
    for (int64_t i = 0; i < count; ++i) {
      const V v = V(x[i * columns + first + j]);
      others.push(Factor<V>(v == V(0) ? V(1) : v));
    }
    of_zero[j] = T(V(grad[first + j]) * V(T(rule.out(others.result(), count))));
  }
  for (int64_t i = 0; i < count; ++i) {
    const T* from = x + i * columns + first;
    T* to = out + i * columns + first;
    for (int j = 0; j < width; ++j) {
      const V v = V(from[j]), quotient = V(weighted[j]) / (v == V(0) ? V(1) : v);
      to[j] = v == V(0) && zeros[j] == 1 ? of_zero[j] : T(quotient);
    }
  }
}

/// That of an extreme value: shared equally by those that equal it, and every NaN.
template <class T>
void extreme_gradient(const T* grad, const T* x, const T* result, int64_t count, int64_t columns, int64_t first,
                      int width, T* out) {
  using V = accumulate_t<T>;
  V hits[kColumnBlock], share[kColumnBlock];
  const auto hit = [](V v, V extreme) { return V((v == extreme) | (v != v)); };
  std::fill_n(hits, width, V(0));
  for (int64_t i = 0; i < count; ++i)
    for (int j = 0; j < width; ++j) hits[j] += hit(V(x[i * columns + first + j]), V(result[first + j]));
  for (int j = 0; j < width; ++j) share[j] = V(T(V(grad[first + j]) / std::max(hits[j], V(1))));
  for (int64_t i = 0; i < count; ++i)
    for (int j = 0; j < width; ++j)
      out[i * columns + first + j] = T(share[j] * hit(V(x[i * columns + first + j]), V(result[first + j])));
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

void segment_gradient(const SegmentArgs& a, const Tensor& grad, const Tensor& x, const Tensor& result,
                      const Tensor& out) {
  const Segments& s = a.segments;
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    const SegmentRule<accumulate_t<T>, Factor<accumulate_t<T>>> rule(a);
    const T *g = grad.data<T>(), *from = x.data<T>(), *results = result.data<T>();
    T* to = out.data<T>();
    clear_uncovered(s, a.columns, to);
    for_segments(s, a.columns, [&](int64_t segment, int64_t slice, int64_t count) {
      const int64_t at = segment * a.columns, place = slice * a.columns;
      for (int64_t c = 0; c < a.columns; c += kColumnBlock) {
        const int width = int(std::min<int64_t>(kColumnBlock, a.columns - c));
        if (a.reduction == SegmentReduction::prod)
          product_gradient(rule, g + at, from + place, results + at, count, a.columns, c, width, to + place);
        else
          extreme_gradient(g + at, from + place, results + at, count, a.columns, c, width, to + place);
      }
    });
  });
}

}  // namespace ordo::kernels::cpu
