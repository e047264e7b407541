#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/max.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

namespace {
template <bool kMax>
void run(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("amax", t.dtype(), [&]<class T>() {
    reduce(ExtremumReducer<T, kMax>{t.data<T>(), out.data<T>()}, g, t.device());
  });
}
}  // namespace

void extremum(bool max, const Tensor& t, const Tensor& out, const ReduceShape& g) {
  max ? run<true>(t, out, g) : run<false>(t, out, g);
}

}  // namespace ordo::kernels::cuda
