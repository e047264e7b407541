#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/max.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels::cpu {

namespace {
template <bool kMax>
void run(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("amax", t.dtype(), [&]<class T>() { reduce(ExtremumReducer<T, kMax>{t.data<T>(), out.data<T>()}, g); });
}
}  // namespace

void extremum(bool max, const Tensor& t, const Tensor& out, const ReduceShape& g) {
  max ? run<true>(t, out, g) : run<false>(t, out, g);
}

}  // namespace ordo::kernels::cpu
