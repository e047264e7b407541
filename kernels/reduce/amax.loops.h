// amax, amin, and the extreme values' places.
#pragma once

#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {
namespace {

void extremum(const Tensor& t, const Tensor& out, const ReduceShape& g, bool least) {
  dispatch_all("amax", t.dtype(),
               [&]<class T>() { reduce(ExtremumReducer<T>(t.data<T>(), out.data<T>(), least), g, t.device()); });
}

}  // namespace

void amax(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum(t, out, g, false); }
void amin(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum(t, out, g, true); }
void arg_extremum(bool max, const Tensor& t, const Tensor& values, const Tensor& indices, const ReduceShape& g) {
  dispatch_all("argmax", t.dtype(), [&]<class T>() {
    T* const to = values.defined() ? values.data<T>() : nullptr;
    reduce_place(ArgExtremumReducer<T>{t.data<T>(), to, indices.data<int64_t>(), !max}, g, t.device());
  });
}

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
