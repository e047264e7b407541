#include "tests/support/op_samples.h"

#include <fmt/format.h>

#include <cmath>
#include <set>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/run/philox.h>

namespace ordo::test {

std::map<std::string, SampleFunction>& op_samples() {
  static std::map<std::string, SampleFunction> samples;
  return samples;
}

std::map<std::string, SizedSampleFunction>& op_sizes() {
  static std::map<std::string, SizedSampleFunction> sizes;
  return sizes;
}

std::vector<Device> test_devices() {
  std::vector<Device> devices{cpu};
  if (cuda::is_available()) devices.push_back("cuda");
  return devices;
}

template <class T, class F>
static Tensor generate(const Dims& sizes, uint64_t stream, F f) {
  std::vector<T> values(size_t(sizes.product()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = f(philox(20260817, stream, i));
  return from_vector(values, sizes);
}

Tensor test_values(const Dims& sizes, uint64_t stream, double low, double high) {
  return generate<double>(sizes, stream, [=](PhiloxBlock b) { return low + (high - low) * (b.v[0] * 0x1p-32); });
}

Tensor test_mixed_values(const Dims& sizes, uint64_t stream) {
  return generate<double>(sizes, stream, [](PhiloxBlock b) {
    return std::ldexp((b.v[1] & 1u ? 1 : -1) * (1 + b.v[0] * 0x1p-32), int(b.v[2] % 24) - 12);
  });
}

Tensor test_gradient(const Dims& sizes, const Tensor& like) {
  return test_mixed_values(sizes, 99).to(like.device(), like.dtype());
}

Tensor test_indices(const Dims& sizes, int64_t bound, uint64_t stream, DType dtype) {
  const Tensor t = generate<int64_t>(sizes, stream, [=](PhiloxBlock b) { return int64_t(b.v[0]) % bound; });
  return dtype == int64 ? t : from_vector(t.to_vector<int64_t>(), sizes, {.dtype = dtype});
}

template <class T>
static std::vector<uint8_t> raw(const Tensor& t) {
  const std::vector<T> values = t.to_vector<T>();
  if constexpr (std::is_same_v<T, bool>)
    return std::vector<uint8_t>(values.begin(), values.end());
  else {
    const auto* p = reinterpret_cast<const uint8_t*>(values.data());
    return std::vector<uint8_t>(p, p + values.size() * sizeof(T));
  }
}

std::vector<uint8_t> bytes_of(const Tensor& t) {
  return dispatch_all("bytes_of", t.dtype(), [&]<class T>() { return raw<T>(t); });
}

std::string hash_of(const Tensor& t) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (uint8_t byte : bytes_of(t)) h = (h ^ byte) * 0x100000001b3ull;
  return fmt::format("{:016x}", h);
}

int distinct_results(int seeds, const std::function<Tensor()>& f) {
  // The emulator draws every launch's schedule from its seed and the launch's number, so that repeats differ as on a
  // GPU.
  std::set<std::string> patterns;
  for (int i = 0; i < seeds; ++i) {
    const auto bytes = bytes_of(f());
    patterns.emplace(bytes.begin(), bytes.end());
  }
  return int(patterns.size());
}

}  // namespace ordo::test
