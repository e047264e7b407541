#include <ordo/engine/dispatch.h>
#include <ordo/kernels/scatter_add/scatter_add_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

void scatter_add(const ScatterAddArgs& a, Algorithm algorithm) {
  dispatch_numeric("scatter_add", a.dtype, [&]<class T>() {
    accumulate(scatter_add_items<T>(a), static_cast<T*>(a.output), {a.outer * a.destinations * a.inner, 1, 1},
               algorithm, a.device);
  });
}

}  // namespace ordo::kernels::cuda
