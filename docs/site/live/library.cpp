// What kernels need of the rest of the library, for one device, one thread and no cache. Internal.
#include <string>

#include <ordo/engine/calls/error.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/fork.h>
#include <ordo/kernels/ordering/add_parts.h>

namespace ordo::cuda {
void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw CudaError(std::string(what) + ": " + cudaGetErrorString(status));
}
cudaStream_t current_stream(Device) { return nullptr; }
DeviceScope::DeviceScope(Device) : previous_(-1) {}
DeviceScope::~DeviceScope() = default;
}  // namespace ordo::cuda
namespace ordo::detail {
void* allocate(size_t bytes, Device) {
  void* data = nullptr;
  ordo::cuda::check(cudaMalloc(&data, bytes), "cudaMalloc");
  return data;
}
void deallocate(void* data, size_t, Device) noexcept { cudaFree(data); }
std::mutex& process_mutex(ProcessLock) {
  static std::mutex mutex;
  return mutex;
}
}  // namespace ordo::detail
namespace ordo {
constinit std::atomic<int> detail::op_listeners = 0;
void OpCall::set_algorithm(Algorithm) {}
}  // namespace ordo
namespace ordo::kernels {
template <class A>
void add_parts(const A* parts, int64_t count, int64_t size, bool first, A* total, Device device) {
  cuda::add_parts(parts, count, size, first, total, device);
}
template void add_parts(const float*, int64_t, int64_t, bool, float*, Device);
template void add_parts(const double*, int64_t, int64_t, bool, double*, Device);
}  // namespace ordo::kernels
