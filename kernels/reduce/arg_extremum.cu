#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

namespace {
template <bool kMax>
void run(const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g) {
  dispatch_all("argmax", t.dtype(), [&]<class T>() {
    reduce(ArgExtremumReducer<T, kMax>{t.data<T>(), values ? values->data<T>() : nullptr, indices.data<int64_t>()}, g,
           t.device());
  });
}
}  // namespace

void arg_extremum(bool max, const Tensor& t, const Tensor* values, const Tensor& indices, const ReduceShape& g) {
  max ? run<true>(t, values, indices, g) : run<false>(t, values, indices, g);
}

}  // namespace ordo::kernels::cuda
