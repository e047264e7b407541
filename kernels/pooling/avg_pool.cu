#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/atomics.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/pool_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

template <class T>
__global__ void avg_pool_backward_atomic_kernel(const T* grad, accumulate_t<T>* cells, int64_t count, Windows s) {
  using V = accumulate_t<T>;
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const V share = V(grad[i]) / V(s.divisor(s.row_divisor(at.d, at.h), at.w));
    V* to = cells + at.volume * s.inputs();
    const AxisCells d = s.d.cells(at.d), h = s.h.cells(at.h), w = s.w.cells(at.w);
    for (int64_t id = d.begin; id < d.end; id += d.step)
      for (int64_t ih = h.begin; ih < h.end; ih += h.step)
        for (int64_t iw = w.begin; iw < w.end; iw += w.step)
          ordo::cuda::atomic_add(to + s.input_row(id, ih) + iw, share);
  }
}

}  // namespace

void avg_pool(const Tensor& input, const Tensor& values, const Windows& s) {
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    const auto run = [&]<template <class> class Sum>() {
      each_position(AveragePoolElement<Sum, T>{s, input.data<T>(), values.data<T>()}, values.numel(), input.device());
    };
    s.most_cells() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

void avg_pool_backward(const Tensor& grad, const Tensor& output, const Windows& s, Algorithm algorithm) {
  const Device device = grad.device();
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    if (algorithm == Algorithm::atomic)
      return add_atomically<T>(output, [&](accumulate_t<T>* cells) {
        ordo::cuda::launch_over(avg_pool_backward_atomic_kernel<T>, grad.numel(), ordo::cuda::current_stream(device),
                                grad.data<T>(), cells, grad.numel(), s);
      });
    const auto run = [&]<template <class> class Sum>() {
      each_position(AveragePoolGradientElement<Sum, T>{s, grad.data<T>(), output.data<T>()}, output.numel(), device);
    };
    s.overlap() <= kOrderedGroup ? run.template operator()<ShortSum>() : run.template operator()<OrderedSum>();
  });
}

}  // namespace ordo::kernels::cuda
