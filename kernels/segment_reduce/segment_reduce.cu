#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/segment_reduce/segments.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void check_offsets(const CheckOffset& f, int64_t count, Device device) { each(count, f, device); }

void segment_reduce(const SegmentArgs& a, const Tensor& data, const Tensor& out) {
  dispatch_floating("segment_reduce", data.dtype(), [&]<class T>() {
    using V = accumulate_t<T>;
    with_segment_sum<V>(a.reduction, [&]<class Acc>() {
      each(out.numel(),
           SegmentElement<T, Acc>{a.segments, a.columns, SegmentRule<V, Acc>(a), data.data<T>(), out.data<T>()},
           data.device());
    });
  });
}

void segment_expand(const Segments& segments, int64_t columns, const Tensor& x, const Tensor& out) {
  dispatch_floating("segment_reduce", x.dtype(), [&]<class T>() {
    each(out.numel(), ExpandElement<T>{segments, columns, x.data<T>(), out.data<T>()}, x.device());
  });
}

}  // namespace ordo::kernels::cuda
