// The one header that .cu files and host code speaking to a device include: real CUDA, or the emulator when
// ORDO_EMULATED is defined. docs/architecture.md lists the rules that kernels obey.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include <ordo/engine/run/launch_tuning.h>
#include <ordo/engine/tensor/device.h>
#include <ordo/engine/tensor/no_unroll.h>

#if ORDO_EMULATED
#include <ordo/simulators/emulator/emulator.h>
#else
#include <cuda_runtime.h>
#endif

namespace ordo::cuda {

/// Throws CudaError naming `what` unless status is cudaSuccess.
void check(cudaError_t status, const char* what);

/// The calling thread's stream on `device`.
cudaStream_t current_stream(Device device);

/// Makes `device` the calling thread's current one until the end of the scope.
class DeviceScope {
 public:
  explicit DeviceScope(Device device);
  /// For destructors. Where the process ends and the driver has gone, nothing happens.
  DeviceScope(Device device, std::nothrow_t) noexcept;
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  int previous_;
};

/// Blocks of `block` threads that cover n elements. Kernels loop:
///   ORDO_NO_UNROLL
///   for (int64_t i = thread_index(); i < n; i += thread_count())
/// so that a capped grid covers any n. Mostly a thread has one element, for which four copies of the loop would be
/// four times the code.
inline dim3 grid_for(int64_t n, int block) {
  const int64_t blocks = (n + block - 1) / block, most = launch_tuning().most_blocks;
  return dim3(unsigned(blocks < most ? blocks : most));
}

#if ORDO_EMULATED

#define ORDO_SHARED(T, name, ...)                                                                       \
  using name##_shared_type = T __VA_ARGS__;                                                             \
  static const char name##_shared_tag = 0;                                                              \
  name##_shared_type& name = *static_cast<name##_shared_type*>(::ordo::cuda::emulator::shared_variable( \
      &name##_shared_tag, sizeof(name##_shared_type), alignof(name##_shared_type)))
#define ORDO_DYNAMIC_SHARED(T, name) T* const name = static_cast<T*>(::ordo::cuda::emulator::dynamic_shared())

using emulator::launch;

#elif defined(__CUDACC__)

// Raw storage, because __shared__ variables must not have constructors.
#define ORDO_SHARED(T, name, ...)                                                                  \
  using name##_shared_type = T __VA_ARGS__;                                                        \
  __shared__ alignas(name##_shared_type) unsigned char name##_storage[sizeof(name##_shared_type)]; \
  name##_shared_type& name = reinterpret_cast<name##_shared_type&>(name##_storage)
#define ORDO_DYNAMIC_SHARED(T, name)                                   \
  extern __shared__ __align__(16) unsigned char ordo_dynamic_shared[]; \
  T* const name = reinterpret_cast<T*>(ordo_dynamic_shared)

/// cudaLaunchKernel, checked. What is checked is this launch's own status: the last error of the thread may be one that
/// a call of somebody else has left. Inline, because a program and the library may each have a CUDA runtime.
inline void launch_addresses(const void* kernel, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
                             void** addresses) {
  if (shared_bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes)),
          "dynamic shared memory");
  check(cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes, stream), "kernel launch");
}

/// Starts `kernel`. A grid without blocks is no work, not an error. Compiled once for each kernel: short, for that reason.
template <class... P>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream,
            std::type_identity_t<P>... args) {
  static_assert((std::is_trivially_copyable_v<P> && ...), "kernel parameters are copied bytewise");
  void* addresses[] = {static_cast<void*>(&args)..., nullptr};
  if (grid.x != 0 && grid.y != 0 && grid.z != 0)
    launch_addresses(reinterpret_cast<const void*>(kernel), grid, block, shared_bytes, stream, addresses);
}

#endif

#if ORDO_EMULATED || defined(__CUDACC__)
/// Starts a kernel of one thread per element, which loops as shown at grid_for.
template <class... P>
void launch_over(void (*kernel)(P...), int64_t n, cudaStream_t stream, std::type_identity_t<P>... args) {
  const int block = launch_tuning().block;
  launch(kernel, grid_for(n, block), dim3(unsigned(block)), 0, stream, args...);
}

/// The thread's number along x in the whole grid, and how many there are.
inline __device__ int64_t thread_index() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
inline __device__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
#endif

}  // namespace ordo::cuda
