#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/fractional_max_pool.h>
#include <ordo/kernels/pooling/volumes_cuda.cuh>

namespace ordo::kernels::cuda {

template <class T>
__global__ void fractional_max_pool_kernel(const T* input, const T* samples, T* values, int64_t* indices, int64_t count,
                                           FractionalWindows s) {
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, s.d.output, s.h.output, s.w.output);
    const auto cell =
        fractional_max(input + at.volume * s.inputs(), samples + at.volume * s.axes(), s, at.d, at.h, at.w);
    values[i] = T(cell.value);
    indices[i] = cell.index;
  }
}

void fractional_max_pool(const Tensor& input, const Tensor& samples, const Tensor& values, const Tensor& indices,
                         const FractionalWindows& windows) {
  dispatch_floating("fractional_max_pool", input.dtype(), [&]<class T>() {
    const ordo::cuda::DeviceScope scope(input.device());
    ordo::cuda::launch_over(fractional_max_pool_kernel<T>, values.numel(), ordo::cuda::current_stream(input.device()),
                            input.data<T>(), samples.data<T>(), values.data<T>(), indices.data<int64_t>(),
                            values.numel(), windows);
  });
}

}  // namespace ordo::kernels::cuda
