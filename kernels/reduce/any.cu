#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/any.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void truth(bool any, const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("any", t.dtype(), [&]<class T>() {
    const T* x = t.data<T>();
    bool* y = out.data<bool>();
    any ? reduce(TruthReducer<T, true>{x, y}, g, t.device()) : reduce(TruthReducer<T, false>{x, y}, g, t.device());
  });
}

}  // namespace ordo::kernels::cuda
