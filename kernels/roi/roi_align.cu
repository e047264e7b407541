#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/resampling/weighted_rows.h>
#include <ordo/kernels/roi/roi_align.h>
#include <ordo/kernels/roi/roi_align_items.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void roi_align(const Tensor& input, const Tensor& boxes, const Tensor& output, const RoiShape& s,
               const RoiAlignRules& rules) {
  const IndexGuard guard("roi_align", "boxes", 0, s.images, input.device());
  dispatch_floating("roi_align", input.dtype(), [&]<class T>() {
    each(s.outputs(), RoiAlignElement<T>{s, rules, input.data<T>(), boxes.data<T>(), output.data<T>(), guard.check()},
         input.device());
  });
  guard.finish();
}

void roi_align_counts(const Tensor& boxes, const Tensor& counts, const RoiShape& s, const RoiAlignRules& rules) {
  dispatch_floating("roi_align_backward", boxes.dtype(), [&]<class T>() {
    each(s.boxes, RoiCountElement<T>{s, rules, boxes.data<T>(), counts.data<int64_t>()}, boxes.device());
  });
}

void roi_align_backward(const Tensor& rows, const Tensor& boxes, const Tensor& begin, int64_t items,
                        const Tensor& output, const RoiShape& s, const RoiAlignRules& rules, Algorithm algorithm) {
  const Device device = rows.device();
  const ordo::cuda::DeviceScope scope(device);
  dispatch_floating("roi_align_backward", rows.dtype(), [&]<class T>() {
    const Scratch<int64_t> cells(items, device), bins(begin.defined() ? items : 0, device);
    const Scratch<accumulate_t<T>> weights(items, device);
    int64_t* const bin_of = begin.defined() ? bins.data() : nullptr;
    each(s.boxes * s.bins(),
         RoiItemsElement<T>{s, rules, boxes.data<T>(), begin.defined() ? begin.data<int64_t>() : nullptr, cells.data(),
                            weights.data(), bin_of},
         device);
    add_weighted_rows({items, cells.data(), weights.data(), bin_of, items / (s.boxes * s.bins())}, rows, output,
                      algorithm);
  });
}

}  // namespace ordo::kernels::cuda
