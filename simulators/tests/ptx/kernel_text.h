// Kernels of a test's own, as text, on the PTX machine.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "simulators/ptx/decode.h"

namespace ordo::ptx {

inline constexpr Schedule kSchedules[] = {{Schedule::Order::forward, 1}, {Schedule::Order::reverse, 1},
                                          {Schedule::Order::random, 1},  {Schedule::Order::random, 2},
                                          {Schedule::Order::random, 3},  {Schedule::Order::random, 4}};

inline constexpr const char* kHeader = ".version 9.0\n.target sm_90\n.address_size 64\n";
inline constexpr const char* kRegisters =
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 %fd<9>;\n";

/// A kernel of one or several parameters of 64 bits: p0, p1, ...
inline std::string kernel_text(const std::string& body, int parameters = 2, const std::string& before = "") {
  std::string text = kHeader + before + ".visible .entry k(";
  for (int i = 0; i < parameters; ++i) text += fmt::format("{}.param .u64 p{}", i ? ", " : "", i);
  return text + ")\n{\n" + kRegisters + body + "\n ret;\n}\n";
}

inline void run_text(Device& device, const std::string& text, std::vector<uint64_t> parameters, Dim3 grid, Dim3 block,
                     size_t dynamic_shared = 0) {
  const ModuleText module(text);
  const Program program = decode(module, "k", {});
  Launch launch{&program, grid, block, dynamic_shared, std::vector<uint8_t>(program.parameter_bytes)};
  std::memcpy(launch.parameters.data(), parameters.data(), parameters.size() * sizeof(uint64_t));
  run(device, launch);
}

/// Words of the device's memory.
template <class T>
class Words {
 public:
  Words(Device& device, std::vector<T> values)
      : device_(device), size_(values.size()), data_(static_cast<T*>(device.memory.allocate(size_ * sizeof(T)))) {
    std::copy(values.begin(), values.end(), data_);
    device.memory.set_written(data_, size_ * sizeof(T));
  }
  Words(Device& device, size_t size) : Words(device, std::vector<T>(size)) {}
  ~Words() { device_.memory.free(data_); }
  uint64_t address() const { return reinterpret_cast<uint64_t>(data_); }
  std::vector<T> values() const { return {data_, data_ + size_}; }
  T operator[](size_t i) const { return data_[i]; }

 private:
  Device& device_;
  size_t size_;
  T* data_;
};

}  // namespace ordo::ptx
