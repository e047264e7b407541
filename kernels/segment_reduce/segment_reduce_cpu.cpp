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

/// Columns [first, first + width) of a segment of `count` slices, of which the first is at `x`.
template <class T, class Acc>
void reduce_columns(const SegmentRule<accumulate_t<T>, Acc>& rule, const T* x, int64_t count, int64_t columns,
                    int64_t first, int width, T* out) {
  using V = accumulate_t<T>;
  Acc sums[kColumnBlock];
  OrderedRow<Acc> groups;
  std::fill_n(sums, width, kNoValue<Acc>);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0 && i % kOrderedGroup == 0) {
      groups.push_group(sums, width);
      std::fill_n(sums, width, kNoValue<Acc>);
    }
    const T* from = x + i * columns + first;
    if (rule.negate)
      for (int j = 0; j < width; ++j) sums[j] += Acc(-V(from[j]));
    else
      for (int j = 0; j < width; ++j) sums[j] += Acc(V(from[j]));
  }
  if (count > kOrderedGroup) groups.finish(sums, width, true);
  for (int j = 0; j < width; ++j) out[first + j] = T(rule.out(sums[j], count));
}

int64_t grain(const Segments& s, int64_t columns) {
  const int64_t cost = (s.slices() / std::max<int64_t>(1, s.count()) + 1) * columns;
  return std::max<int64_t>(1, 16384 / std::max<int64_t>(1, cost));
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
      const SegmentElement<T, Acc> element{s, a.columns, rule, data.data<T>(), out.data<T>()};
      parallel_for(0, s.count(), grain(s, a.columns), [&](int64_t from, int64_t to) {
        if (a.columns < kFewColumns) {
          for (int64_t t = from * a.columns; t < to * a.columns; ++t) element(t);
          return;
        }
        for (int64_t segment = from; segment < to; ++segment) {
          const int64_t row = segment / s.per_row;
          const int64_t* at = s.offsets + segment + row;
          for (int64_t c = 0; c < a.columns; c += kColumnBlock)
            reduce_columns(rule, element.x + (row * s.size + at[0]) * a.columns, at[1] - at[0], a.columns, c,
                           int(std::min<int64_t>(kColumnBlock, a.columns - c)), element.out + segment * a.columns);
        }
      });
    });
  });
}

void segment_expand(const Segments& s, int64_t columns, const Tensor& x, const Tensor& out) {
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    const T* from = x.data<T>();
    T* to = out.data<T>();
    parallel_for(0, s.rows, std::max<int64_t>(1, 16384 / (s.size * columns)), [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {  // what no segment covers
        const int64_t* at = s.offsets + row * (s.per_row + 1);
        T* line = to + row * s.size * columns;
        std::fill(line, line + at[0] * columns, T(0.f));
        std::fill(line + at[s.per_row] * columns, line + s.size * columns, T(0.f));
      }
    });
    parallel_for(0, s.count(), grain(s, columns), [&](int64_t first, int64_t last) {
      for (int64_t segment = first; segment < last; ++segment) {
        const int64_t row = segment / s.per_row;
        const int64_t* at = s.offsets + segment + row;
        T* line = to + row * s.size * columns;
        if (columns == 1) {
          std::fill(line + at[0], line + at[1], from[segment]);
          continue;
        }
        for (int64_t i = at[0]; i < at[1]; ++i) std::copy_n(from + segment * columns, columns, line + i * columns);
      }
    });
  });
}

}  // namespace ordo::kernels::cpu
