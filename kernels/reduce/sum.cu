#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/sum.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void sum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("sum", t.dtype(),
               [&]<class T>() { reduce(SumReducer<T>(t.data<T>(), out.data<sum_t<T>>()), g, t.device()); });
}

void nansum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("nansum", t.dtype(),
                    [&]<class T>() { reduce(NanSumReducer<T>(t.data<T>(), out.data<T>()), g, t.device()); });
}

void dot(const Tensor& a, const Tensor& b, const Tensor& out) {
  dispatch_floating("dot", a.dtype(), [&]<class T>() {
    reduce(DotReducer<T>(a.data<T>(), b.data<T>(), out.data<T>()), reduce_line(a.numel()), a.device());
  });
}

void mean(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_floating("mean", t.dtype(),
                    [&]<class T>() { reduce(MeanReducer<T>(t.data<T>(), out.data<T>(), g.length), g, t.device()); });
}

}  // namespace ordo::kernels::cuda
