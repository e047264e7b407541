#include <ordo/engine/run/elapsed.h>

#include <chrono>

#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/event_time.h>
#endif

namespace ordo {

double elapsed_ms(Device device, const std::function<void()>& work) {
#if ORDO_HAS_CUDA
  if (device.is_cuda()) return cuda::event_time_ms(device, work);
#endif
  const auto start = std::chrono::steady_clock::now();
  work();
  if (device.is_cuda()) cuda::synchronize(device);  // which says that this build has no CUDA
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ordo
