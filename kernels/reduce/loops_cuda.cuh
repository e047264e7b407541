// CUDA's loops over elements, reductions and row programs, the counterpart of loops_cpu.h. Internal.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>
#include <ordo/kernels/reduce/row_program_cuda.cuh>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {

// What short rows, and places along memory, need on the CPU.
template <class R>
void reduce_or_short(const R& r, const ReduceShape& g, Device device) {
  reduce(r, g, device);
}
template <class R>
void reduce_place(const R& r, const ReduceShape& g, Device device) {
  reduce(r, g, device);
}

}  // namespace ordo::kernels::cuda
