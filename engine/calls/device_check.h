// Whether a device that is asked for is there. Internal.
#pragma once

#include <ordo/engine/tensor/device.h>

namespace ordo::detail {

/// DeviceError unless `device` is one of this machine's. Where there is none at all, it says why.
void check_device(const char* op, Device device);

}  // namespace ordo::detail
