#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/atomics.h>
#include <ordo/kernels/pooling/max_pool.h>
#include <ordo/kernels/pooling/pool_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

template <class T>
__global__ void max_pool_backward_atomic_kernel(const T* grad, const int64_t* indices, accumulate_t<T>* cells,
                                                int64_t count, int64_t outputs, int64_t inputs) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count())
    ordo::cuda::atomic_add(cells + quotient(i, outputs) * inputs + indices[i], accumulate_t<T>(grad[i]));
}

}  // namespace

void max_pool(const Tensor& input, const Tensor& values, const Tensor& indices, const Windows& s) {
  dispatch_floating("max_pool", input.dtype(), [&]<class T>() {
    int64_t* const places = indices.defined() ? indices.data<int64_t>() : nullptr;
    each_position(MaxPoolElement<T>{s, input.data<T>(), values.data<T>(), places}, values.numel(), input.device());
  });
}

void max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const Windows& s,
                       Algorithm algorithm) {
  const Device device = grad.device();
  const int64_t* const places = indices.data<int64_t>();
  dispatch_floating("max_pool_backward", grad.dtype(), [&]<class T>() {
    if (algorithm == Algorithm::atomic)
      return add_atomically<T>(output, [&](accumulate_t<T>* cells) {
        ordo::cuda::launch_over(max_pool_backward_atomic_kernel<T>, grad.numel(), ordo::cuda::current_stream(device),
                                grad.data<T>(), places, cells, grad.numel(), s.outputs(), s.inputs());
      });
    const auto run = [&]<template <class> class Sum>() {
      each_position(MaxPoolGradientElement<Sum, T>{s, grad.data<T>(), places, output.data<T>()}, output.numel(),
                    device);
    };
    s.overlap() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

}  // namespace ordo::kernels::cuda
