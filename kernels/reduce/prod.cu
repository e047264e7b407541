#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/prod.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void prod(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("prod", t.dtype(),
               [&]<class T>() { reduce(ProdReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g, t.device()); });
}

}  // namespace ordo::kernels::cuda
