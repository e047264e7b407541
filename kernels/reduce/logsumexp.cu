#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/logsumexp.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void logsumexp(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("logsumexp", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> max(g.outputs, t.device());
    reduce(WideMaximum<T>{t.data<T>(), max}, g, t.device());
    reduce(LogSumExpReducer<T>(t.data<T>(), max, out.data<T>()), g, t.device());
  });
}

}  // namespace ordo::kernels::cuda
