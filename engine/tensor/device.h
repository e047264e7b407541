// Where a tensor's memory lies and its operations run.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace ordo {

/// `Device("cpu")`, `Device("cuda")` (the same as "cuda:0"), `Device("cuda:1")`.
class Device {
 public:
  enum class Type : unsigned char { cpu, cuda };

  constexpr Device() = default;
  constexpr Device(Type type, int index = 0) : type_(type), index_(index) {}
  /// Throws DeviceError for anything but the forms above. Does not ask whether the device exists.
  Device(std::string_view text);
  Device(const char* text) : Device(std::string_view(text)) {}
  Device(const std::string& text) : Device(std::string_view(text)) {}

  constexpr Type type() const { return type_; }
  constexpr int index() const { return index_; }
  constexpr bool is_cpu() const { return type_ == Type::cpu; }
  constexpr bool is_cuda() const { return type_ == Type::cuda; }
  std::string str() const;

  friend constexpr bool operator==(Device, Device) = default;

 private:
  Type type_ = Type::cpu;
  int index_ = 0;
};

std::ostream& operator<<(std::ostream& out, Device device);  ///< str()

inline constexpr Device cpu{};  ///< where tensors are made that name no device

namespace cuda {
/// How the library was built: "none", "emulated" (devices run the kernels on the CPU) or "cuda".
std::string_view build();
/// Number of usable CUDA devices; 0 without a GPU or driver, 2 in an emulated build.
int device_count();
inline bool is_available() { return device_count() > 0; }
/// Waits for all work of the calling thread's stream on `device`, and raises any index error recorded by it.
void synchronize(Device device = Device(Device::Type::cuda));
}  // namespace cuda

}  // namespace ordo
