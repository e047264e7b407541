#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/roi/roi_pool.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

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

}  // namespace ordo::kernels::cuda
