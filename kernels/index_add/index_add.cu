#include <ordo/engine/dispatch.h>
#include <ordo/kernels/index_add/index_add_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

void index_add(const IndexAddArgs& a, Algorithm algorithm) {
  dispatch_numeric("index_add", a.dtype, [&]<class T>() {
    accumulate(index_add_items<T>(a), static_cast<T*>(a.output), {a.destinations, a.outer, a.inner}, algorithm,
               a.device);
  });
}

}  // namespace ordo::kernels::cuda
