#include <ordo/engine/dispatch.h>
#include <ordo/kernels/index_add/index_add_items.h>
#include <ordo/kernels/accumulate/accumulate_cuda.cuh>

namespace ordo::kernels::cuda {

void index_add(const IndexAddArgs& a, Algorithm algorithm) {
  dispatch_numeric("index_add", a.dtype, [&]<class T>() {
    const auto items = index_add_items<T>(a);
    T* const output = static_cast<T*>(a.output);
    const AccumulateShape shape{a.destinations, a.outer, a.inner};
    if (a.order)
      accumulate(items, output, shape, *a.order, a.device);
    else
      accumulate(items, output, shape, algorithm, a.device);
  });
}

}  // namespace ordo::kernels::cuda
