#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/bincount/bincount.h>

namespace ordo::kernels::cuda {

/// Signed numbers as unsigned ones of the same order, and back: CUDA's 64-bit atomics that all devices have are
/// unsigned.
inline __host__ __device__ unsigned long long ordered_bits(unsigned long long v) { return v ^ 0x8000000000000000ull; }

/// range[0] = least, range[1] = greatest, both already initialised.
template <class I>
__global__ void bincount_range_kernel(const I* input, int64_t count, unsigned long long* range) {
  // Few values per thread, combined by integer atomics: any order gives the same result.
  long long low = input[0], high = input[0];
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const long long v = input[i];
    low = v < low ? v : low;
    high = v > high ? v : high;
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    const long long other_low = __shfl_xor_sync(0xffffffffu, low, offset);
    const long long other_high = __shfl_xor_sync(0xffffffffu, high, offset);
    low = other_low < low ? other_low : low;
    high = other_high > high ? other_high : high;
  }
  if (threadIdx.x % 32 == 0) {
    atomicMin(range, ordered_bits(static_cast<unsigned long long>(low)));
    atomicMax(range + 1, ordered_bits(static_cast<unsigned long long>(high)));
  }
}

ValueRange value_range(const Tensor& values) {
  const Device device = values.device();
  const ordo::cuda::DeviceScope scope(device);
  unsigned long long range[2];
  Scratch<unsigned long long> on_device(2, device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  ordo::cuda::check(cudaMemsetAsync(on_device.data(), 0xff, sizeof *range, stream), "cudaMemsetAsync");
  ordo::cuda::check(cudaMemsetAsync(on_device.data() + 1, 0, sizeof *range, stream), "cudaMemsetAsync");
  dispatch_index("bincount", values.dtype(), [&]<class I>() {
    ordo::cuda::launch_over(bincount_range_kernel<I>, (values.numel() + 15) / 16, stream, values.data<I>(),
                            values.numel(), on_device.data());
  });
  ordo::detail::copy_bytes(range, Device(), on_device.data(), device, sizeof range);
  return {int64_t(ordered_bits(range[0])), int64_t(ordered_bits(range[1]))};
}

}  // namespace ordo::kernels::cuda
