#include <ordo/engine/dispatch.h>
#include <ordo/kernels/resampling/interpolate.h>
#include <ordo/kernels/resampling/resample_cells.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

template <class T>
__global__ void interpolate_kernel(ResampleTables<accumulate_t<T>> t, const T* input, T* output, int64_t count) {
  const int64_t inputs = t.d.axis.input * t.h.axis.input * t.w.axis.input;
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, t.d.axis.output, t.h.axis.output, t.w.axis.output);
    output[i] = resampled(input + at.volume * inputs, t, at.d, at.h, at.w);
  }
}

template <class T>
__global__ void interpolate_backward_kernel(ResampleTables<accumulate_t<T>> t, const T* grad, T* output,
                                            int64_t count) {
  const int64_t outputs = t.d.axis.output * t.h.axis.output * t.w.axis.output;
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const VolumeCell at(i, t.d.axis.input, t.h.axis.input, t.w.axis.input);
    output[i] = resampled_gradient(grad + at.volume * outputs, t, at.d, at.h, at.w);
  }
}

template <class T>
void run(void (*kernel)(ResampleTables<accumulate_t<T>>, const T*, T*, int64_t), const Tensor& from, const Tensor& to,
         const ResampleArguments& a, bool gradient) {
  const Device device = to.device();
  const ordo::cuda::DeviceScope scope(device);
  const ResampleMemory<accumulate_t<T>> memory(a, gradient, device);
  each(memory.tables().count(), memory.tables(), device);
  ordo::cuda::launch_over(kernel, to.numel(), ordo::cuda::current_stream(device), memory.tables(), from.data<T>(),
                          to.data<T>(), to.numel());
}

}  // namespace

void interpolate(const Tensor& input, const Tensor& output, const ResampleArguments& a) {
  dispatch_floating("interpolate", input.dtype(),
                    [&]<class T>() { run<T>(interpolate_kernel<T>, input, output, a, false); });
}

void interpolate_backward(const Tensor& grad, const Tensor& output, const ResampleArguments& a) {
  dispatch_floating("interpolate_backward", grad.dtype(),
                    [&]<class T>() { run<T>(interpolate_backward_kernel<T>, grad, output, a, true); });
}

}  // namespace ordo::kernels::cuda
