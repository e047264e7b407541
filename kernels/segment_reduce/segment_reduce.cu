#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/segment_reduce/segments.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

namespace {
/// Segments of so many slices, on average, are added in two steps: more threads take part.
constexpr int64_t kLongSegment = 128;
}  // namespace

void check_offsets(const CheckOffset& f, int64_t count, Device device) { each(count, f, device); }

void segment_reduce(const SegmentArgs& a, const Tensor& data, const Tensor& out) {
  dispatch_floating("segment_reduce", data.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    with_segment_sum<V>(a.reduction, [&]<class Acc>() {
      const SegmentRule<V, Acc> rule(a);
      const T* const x = data.data<T>();
      T* const to = out.data<T>();
      const Device device = data.device();
      if (a.segments.slices() < kLongSegment * a.segments.count())
        return each(out.numel(), SegmentElement<T, Acc>{a.segments, a.columns, rule, x, to}, device);
      const GroupPlaces groups{a.segments};
      const int64_t sums = a.segments.rows * groups.places() * a.columns;
      const Scratch<V> scratch(sums, device);
      each(sums, SumGroup<T, Acc>{groups, a.columns, rule, x, scratch.data()}, device);
      each(out.numel(), SumOfGroups<T, Acc>{groups, a.columns, rule, scratch.data(), to}, device);
    });
  });
}

void segment_expand(const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out) {
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    each(out.numel(), ExpandElement<T>{segments, columns, x.data<T>(), out.data<T>()}, x.device());
  });
}

}  // namespace ordo::kernels::cuda
