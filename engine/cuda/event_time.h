// Internal: elapsed_ms on a CUDA device. The emulator has no events that tell time.
#pragma once

#include <functional>

#include <ordo/engine/tensor/device.h>

namespace ordo::cuda {

double event_time_ms(Device device, const std::function<void()>& work);

}  // namespace ordo::cuda
