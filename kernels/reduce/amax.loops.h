// amax and amin.
#pragma once

#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels::ORDO_LOOPS_DEVICE {
namespace {

template <bool kMax>
void extremum(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  dispatch_all("amax", t.dtype(), [&]<class T>() {
    reduce(ExtremumReducer<T, kMax>{t.data<T>(), out.data<T>()}, g, t.device());
  });
}

}  // namespace

void amax(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum<true>(t, out, g); }
void amin(const Tensor& t, const Tensor& out, const ReduceShape& g, double) { extremum<false>(t, out, g); }

}  // namespace ordo::kernels::ORDO_LOOPS_DEVICE
