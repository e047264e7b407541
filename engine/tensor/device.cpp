#include <ordo/engine/tensor/device.h>

#include <charconv>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/device_check.h>
#include <ordo/engine/run/about.h>
#if ORDO_HAS_CUDA
#include <ordo/engine/cuda/backend.h>
#endif

namespace ordo {

Device::Device(std::string_view text) {
  if (text == "cpu") return;
  if (text.substr(0, 4) == "cuda") {
    type_ = Type::cuda;
    if (text.size() == 4) return;
    const char *first = text.data() + 5, *last = text.data() + text.size();
    if (text[4] == ':' && first < last && *first != '-') {
      const auto [end, error] = std::from_chars(first, last, index_);
      if (error == std::errc() && end == last) return;
    }
  }
  detail::fail<DeviceError>("device", "\"{}\" is not a device; write \"cpu\", \"cuda\" or \"cuda:0\"", text);
}

void detail::check_device(const char* op, Device device) {
  if (device.is_cpu() || (device.is_cuda() && device.index() >= 0 && device.index() < cuda::device_count())) return;
  const std::string why = why_no_cuda_device();
  fail<DeviceError>(op, "there is no device {}; {} found{}{}", device, cuda::device_count(), why.empty() ? "" : ": ",
                    why);
}

std::string Device::str() const { return is_cpu() ? "cpu" : is_cuda() ? "cuda:" + std::to_string(index_) : "invalid"; }

namespace cuda {
#if ORDO_HAS_CUDA
int device_count() { return backend::device_count(); }
#else
std::string_view build() { return "none"; }
int device_count() { return 0; }
void synchronize(Device) { ordo::detail::fail<DeviceError>("synchronize", "this build of Ordo has no CUDA"); }
#endif
}  // namespace cuda

}  // namespace ordo
