#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/cuda/event_time.h>

namespace ordo::cuda {

namespace {
struct Event {
  Event() { check(cudaEventCreate(&handle), "event"); }
  ~Event() { cudaEventDestroy(handle); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t handle = nullptr;
};
}  // namespace

double event_time_ms(Device device, const std::function<void()>& work) {
  const DeviceScope scope(device);
  const Event start, end;
  check(cudaEventRecord(start.handle, current_stream(device)), "event");
  work();
  check(cudaEventRecord(end.handle, current_stream(device)), "event");
  synchronize(device);
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start.handle, end.handle), "event time");
  return ms;
}

}  // namespace ordo::cuda
