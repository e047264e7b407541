#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/backend.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/poison.h>

namespace ordo::cuda::backend {

namespace {
template <class T>
__global__ void fill_kernel(T* data, int64_t n, T value) {
  for (int64_t i = thread_index(); i < n; i += thread_count()) data[i] = value;
}
}  // namespace

void fill_pattern(void* data, int64_t numel, DType dtype, int device) {
  if (numel == 0) return;
  const Device where(Device::Type::cuda, device);
  const DeviceScope scope(where);
  dispatch_all("empty", dtype, [&]<class T>() {
    constexpr int64_t kPerThread = 8;
    launch_over(fill_kernel<T>, (numel + kPerThread - 1) / kPerThread, current_stream(where), static_cast<T*>(data),
                numel, ordo::detail::pattern_of<T>());
  });
}

}  // namespace ordo::cuda::backend
