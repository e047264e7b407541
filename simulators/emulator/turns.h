// What the schedules of simulated devices are drawn with. Internal to the emulator and the PTX machine.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ordo::cuda::emulator {

/// Who goes on first: anybody, drawn from the seed; the first; the last.
enum class Order : unsigned char { random, forward, reverse };

class Random {
 public:
  explicit Random(uint64_t seed = 1) : state_(seed) {}
  uint64_t next() {  // wyrand
    state_ += 0x9e3779b97f4a7c15ull;
    const auto product = static_cast<unsigned __int128>(state_) * (state_ ^ 0xe7037ed1a0b428dbull);
    return uint64_t(product >> 64) ^ uint64_t(product);
  }
  size_t below(size_t n) { return size_t((static_cast<unsigned __int128>(next()) * n) >> 64); }
  bool chance(double p) { return p >= 1.0 || (p > 0 && double(next() >> 11) * 0x1p-53 < p); }

 private:
  uint64_t state_;
};

}  // namespace ordo::cuda::emulator
