#include <fmt/format.h>
#include <ordo/ordo.h>

#include "tools/ordo/commands.h"

ordo::Device usable_device(const std::string& command, const std::string& text) {
  using namespace ordo;
  const Device device(text);
  if (device.is_cuda() && device.index() >= cuda::device_count())
    throw DeviceError(fmt::format(
        "[{}] there is no device {} here{}", command, device.str(),
        cuda::build() == "none" ? std::string(": this build has no CUDA")
        : cuda::device_count() == 0
            ? fmt::format(": {} (`./run ordo --emulated {}` has an emulated one)", why_no_cuda_device(), command)
            : fmt::format("; the last is cuda:{}", cuda::device_count() - 1)));
  return device;
}
