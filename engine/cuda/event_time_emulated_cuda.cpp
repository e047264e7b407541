#include <chrono>

#include <ordo/engine/cuda/event_time.h>

namespace ordo::cuda {

double event_time_ms(Device device, const std::function<void()>& work) {
  synchronize(device);
  const auto start = std::chrono::steady_clock::now();
  work();
  synchronize(device);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace ordo::cuda
