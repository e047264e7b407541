#include <ordo/engine/run/event.h>

#include <ordo/engine/calls/check.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo::cuda {

#if ORDO_HAS_CUDA
struct Event::State {
  void* event = nullptr;  // null before it is recorded on a CUDA device
  int device = 0;
  ~State() { forget(); }
  void forget() {
    if (event) backend::destroy_event(event);
    event = nullptr;
  }
};
#else
struct Event::State {};
#endif

Event::Event() : state_(std::make_shared<State>()) {}

void Event::record(Device device) {
#if ORDO_HAS_CUDA
  if (!device.is_cuda() || (state_->event && state_->device != device.index())) state_->forget();
  if (device.is_cpu()) return;
  if (!state_->event) state_->event = backend::create_event(device.index());
  state_->device = device.index();
  backend::record_event(state_->event, device.index());
#else
  ORDO_CHECK(device.is_cpu(), DeviceError, "Event::record", "this build of Ordo has no CUDA");
#endif
}

void Event::wait() const {
#if ORDO_HAS_CUDA
  if (state_->event) backend::wait_for_event(state_->event, state_->device);
#endif
}

void Event::synchronize() const {
#if ORDO_HAS_CUDA
  if (state_->event) backend::synchronize_event(state_->event);
#endif
}

}  // namespace ordo::cuda
