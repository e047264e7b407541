#include <fmt/format.h>
#include <ordo/ordo.h>

#include "tools/ordo/commands.h"

ordo::Device usable_device(const std::string& command, const std::string& text) {
  using namespace ordo;
  const Device device(text);
  if (device.is_cuda() && device.index() >= cuda::device_count())
    throw DeviceError(fmt::format("[{}] there is no device {} here{}", command, device.str(),
                                  cuda::build() == "none" ? ": this build has no CUDA"
                                  : cuda::device_count() == 0
                                      ? ": no usable GPU (`./run demo --emulated` has an emulated one)"
                                      : fmt::format("; the last is cuda:{}", cuda::device_count() - 1)));
  return device;
}
