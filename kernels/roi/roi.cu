#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/index_check.h>
#include <ordo/engine/tensor/no_unroll.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/roi/roi_align.h>
#include <ordo/kernels/roi/roi_pool.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels {

/// An output: rule 1 over the samples of its bin that lie inside, divided by the number of all.
template <class T>
struct RoiAlignElement {
  RoiShape s;
  RoiAlignRules rules;
  const T *input, *boxes;
  T* output;
  IndexCheck check;
  ORDO_HD void operator()(int64_t i) const {
    using V = accumulate_t<T>;
    const VolumeCell at = s.output(i);
    const T* const numbers = boxes + at.volume * kBoxNumbers;
    const int64_t image = box_image(V(numbers[0]));
    if (!check.ok(at.volume * kBoxNumbers, image, s.images)) {
      output[i] = T(V(0));
      return;
    }
    const RoiBox<V> box(s, rules, numbers);
    const T* const plane = input + (image * s.channels + at.d) * s.cells();
    const AxisCells rows = box.y.samples(at.h), columns = box.x.samples(at.w);
    OrderedSum<V> sum;
    ORDO_NO_UNROLL
    for (int64_t r = rows.begin; r < rows.end; ++r) {
      const RoiTap<V> y = box.y.tap(box.y.place(at.h, r));
      if (y.low < 0) continue;
      ORDO_NO_UNROLL
      for (int64_t c = columns.begin; c < columns.end; ++c) {
        const RoiTap<V> x = box.x.tap(box.x.place(at.w, c));
        if (x.low >= 0) sum.push(roi_sample(plane, s.width, y, x));
      }
    }
    output[i] = T(sum.result() / box.count);
  }
};

namespace cuda {

void roi_align(const Tensor& input, const Tensor& boxes, const Tensor& output, const RoiShape& s,
               const RoiAlignRules& rules) {
  const IndexGuard guard("roi_align", "boxes", 0, s.images, input.device());
  dispatch_floating("roi_align", input.dtype(), [&]<class T>() {
    each(s.outputs(), RoiAlignElement<T>{s, rules, input.data<T>(), boxes.data<T>(), output.data<T>(), guard.check()},
         input.device());
  });
  guard.finish();
}

void roi_pool(const Tensor& input, const Tensor& boxes, const RoiPoolResult& result, const RoiShape& s, double scale) {
  const IndexGuard guard("roi_pool", "boxes", 0, s.images, input.device());
  dispatch_floating("roi_pool", input.dtype(), [&]<class T>() {
    each(s.outputs(),
         RoiPoolElement<T>{s, scale, input.data<T>(), boxes.data<T>(), result.values.data<T>(),
                           result.places.data<int64_t>(), guard.check()},
         input.device());
  });
  guard.finish();
}

}  // namespace cuda
}  // namespace ordo::kernels
