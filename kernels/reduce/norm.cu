#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/norm.h>
#include <ordo/kernels/reduce/norm_reducers.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void norm(const Tensor& t, const Tensor& out, const ReduceShape& g, double p, bool root) {
  dispatch_floating("norm", t.dtype(), [&]<class T>() {
    with_norm_reducer<T>(t.data<T>(), out.data<T>(), p, root, [&](const auto& r) { reduce(r, g, t.device()); });
  });
}

}  // namespace ordo::kernels::cuda
