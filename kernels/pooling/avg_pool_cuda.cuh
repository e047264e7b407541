// Average pooling on CUDA, for both kinds of windows. Internal.
#pragma once

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/volumes_cuda.cuh>

namespace ordo::kernels::cuda {

template <template <class> class Sum, class T, class Axis>
__global__ void avg_pool_kernel(const T* input, T* values, int64_t volumes, Windows<Axis> windows) {
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * windows.outputs(); i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, windows.d.output, windows.h.output, windows.w.output);
    values[i] = T(average_window<Sum>(input + at.volume * windows.inputs(), windows, windows.cells(at.d, at.h),
                                      windows.row_divisor(at.d, at.h), at.w));
  }
}

template <class T, class Axis>
void avg_pool(const T* input, T* values, int64_t volumes, const Windows<Axis>& windows, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const auto kernel =
      windows.most_cells() <= kOrderedGroup ? avg_pool_kernel<ShortSum, T, Axis> : avg_pool_kernel<OrderedSum, T, Axis>;
  ordo::cuda::launch_over(kernel, volumes * windows.outputs(), ordo::cuda::current_stream(device), input, values,
                          volumes, windows);
}

template <class T, class Axis>
__global__ void avg_pool_backward_atomic_kernel(const T* grad, accumulate_t<T>* cells, int64_t volumes,
                                                Windows<Axis> windows) {
  using V = accumulate_t<T>;
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * windows.outputs(); i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, windows.d.output, windows.h.output, windows.w.output);
    const V share = V(grad[i]) / V(windows.divisor(windows.row_divisor(at.d, at.h), at.w));
    V* to = cells + at.volume * windows.inputs();
    const WindowRows rows = windows.cells(at.d, at.h);
    const int64_t w_begin = windows.w.begin(at.w), w_end = windows.w.end(at.w);
    for (int64_t id = rows.d_begin; id < rows.d_end; id += windows.d.step())
      for (int64_t ih = rows.h_begin; ih < rows.h_end; ih += windows.h.step())
        for (int64_t iw = w_begin; iw < w_end; iw += windows.w.step())
          ordo::cuda::atomic_add(to + windows.input_row(id, ih) + iw, share);
  }
}

template <template <class> class Sum, class T, class Axis>
__global__ void avg_pool_backward_gather_kernel(const T* grad, T* output, int64_t volumes, Windows<Axis> windows) {
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * windows.inputs(); i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, windows.d.input, windows.h.input, windows.w.input);
    output[i] = T(average_gradient<Sum>(grad + at.volume * windows.outputs(), windows, windows.outputs_at(at.d, at.h),
                                        at.d, at.h, at.w));
  }
}

template <class T, class Axis>
void avg_pool_backward(const T* grad, T* output, int64_t volumes, const Windows<Axis>& windows, Algorithm algorithm,
                       Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t count = volumes * windows.inputs();
  if (algorithm == Algorithm::atomic) {
    const ScatterCells<T> cells(output, count, device);
    ordo::cuda::launch_over(avg_pool_backward_atomic_kernel<T, Axis>, volumes * windows.outputs(), stream, grad,
                            cells.data(), volumes, windows);
    cells.store();
  } else {
    const auto kernel = windows.overlap() <= kOrderedGroup ? avg_pool_backward_gather_kernel<ShortSum, T, Axis>
                                                           : avg_pool_backward_gather_kernel<OrderedSum, T, Axis>;
    ordo::cuda::launch_over(kernel, count, stream, grad, output, volumes, windows);
  }
}

}  // namespace ordo::kernels::cuda
