#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/var.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void var(const Tensor& t, const Tensor& out, const ReduceShape& g, double correction, bool root) {
  dispatch_floating("var", t.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> mean(g.outputs, t.device());
    reduce(MeanReducer<T, A>(t.data<T>(), mean, g.length), g, t.device());
    reduce(VarReducer<T>(t.data<T>(), mean, out.data<T>(), g.length, correction, root), g, t.device());
  });
}

}  // namespace ordo::kernels::cuda
