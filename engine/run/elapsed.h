// The time that a device spends on some work.
#pragma once

#include <functional>

#include <ordo/engine/tensor/device.h>

namespace ordo {

/// Milliseconds from the start to the end of what `work` does on the CPU, or queues on the calling thread's stream of a
/// CUDA device: then events before and after it are timed, and the call waits for the second.
double elapsed_ms(Device device, const std::function<void()>& work);

}  // namespace ordo
