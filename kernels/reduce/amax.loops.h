// amax, amin, and the extreme values' places.
#pragma once

#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {
namespace {

template <bool kMax>
void extremum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("amax", t.dtype(),
               [&]<class T>() { reduce(ExtremumReducer<T, kMax>(t.data<T>(), out.data<T>()), g, t.device()); });
}

template <bool kMax>
void place(const Tensor& t, const Tensor& values, const Tensor& indices, const ReduceShape& g) {
  dispatch_all("argmax", t.dtype(), [&]<class T>() {
    T* const to = values.defined() ? values.data<T>() : nullptr;
    reduce_place(ArgExtremumReducer<T, kMax>{t.data<T>(), to, indices.data<int64_t>()}, g, t.device());
  });
}

}  // namespace

void amax(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum<true>(t, out, g); }
void amin(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum<false>(t, out, g); }
void arg_extremum(bool max, const Tensor& t, const Tensor& values, const Tensor& indices, const ReduceShape& g) {
  max ? place<true>(t, values, indices, g) : place<false>(t, values, indices, g);
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
