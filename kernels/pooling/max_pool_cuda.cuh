// Maximum pooling on CUDA, for both kinds of windows. Internal.
#pragma once

#include <ordo/engine/cuda/atomics.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/pooling/cells.h>
#include <ordo/kernels/pooling/volumes_cuda.cuh>

namespace ordo::kernels::cuda {

template <class T, class Axis>
__global__ void max_pool_kernel(const T* input, T* values, int64_t* indices, int64_t volumes, Windows<Axis> windows) {
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * windows.outputs(); i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, windows.d.output, windows.h.output, windows.w.output);
    const auto cell = max_window(input + at.volume * windows.inputs(), windows, windows.cells(at.d, at.h), at.w);
    values[i] = T(cell.value);
    if (indices != nullptr) indices[i] = cell.index;
  }
}

template <class T, class Axis>
void max_pool(const T* input, T* values, int64_t* indices, int64_t volumes, const Windows<Axis>& windows,
              Device device) {
  const ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(max_pool_kernel<T, Axis>, volumes * windows.outputs(), ordo::cuda::current_stream(device),
                          input, values, indices, volumes, windows);
}

template <class T>
__global__ void max_pool_backward_atomic_kernel(const T* grad, const int64_t* indices, accumulate_t<T>* cells,
                                                int64_t volumes, int64_t outputs, int64_t inputs) {
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * outputs; i += ordo::cuda::thread_count())
    ordo::cuda::atomic_add(cells + quotient(i, outputs) * inputs + indices[i], accumulate_t<T>(grad[i]));
}

template <template <class> class Sum, class T, class Axis>
__global__ void max_pool_backward_gather_kernel(const T* grad, const int64_t* indices, T* output, int64_t volumes,
                                                Windows<Axis> windows) {
  for (int64_t i = ordo::cuda::thread_index(); i < volumes * windows.inputs(); i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, windows.d.input, windows.h.input, windows.w.input);
    const int64_t first = at.volume * windows.outputs();
    output[i] = T(max_gradient<Sum>(grad + first, indices + first, windows, windows.outputs_at(at.d, at.h),
                                    i - at.volume * windows.inputs(), at.w));
  }
}

template <class T, class Axis>
void max_pool_backward(const T* grad, const int64_t* indices, T* output, int64_t volumes, const Windows<Axis>& windows,
                       Algorithm algorithm, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t count = volumes * windows.inputs();
  if (algorithm == Algorithm::atomic) {
    const ScatterCells<T> cells(output, count, device);
    ordo::cuda::launch_over(max_pool_backward_atomic_kernel<T>, volumes * windows.outputs(), stream, grad, indices,
                            cells.data(), volumes, windows.outputs(), windows.inputs());
    cells.store();
  } else {
    const auto kernel = windows.overlap() <= kOrderedGroup ? max_pool_backward_gather_kernel<ShortSum, T, Axis>
                                                           : max_pool_backward_gather_kernel<OrderedSum, T, Axis>;
    ordo::cuda::launch_over(kernel, count, stream, grad, indices, output, volumes, windows);
  }
}

}  // namespace ordo::kernels::cuda
