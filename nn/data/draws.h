// Random numbers of one drawn image. Internal to nn/data.
#pragma once

#include <ordo/engine/philox.h>

namespace ordo::data {

class Draws {
 public:
  /// High bits of the Philox stream, so that drawn images share no numbers with generators of the same seed.
  static constexpr uint64_t kDigits = 0xd161700000000000u, kCifar10 = 0xc1fa100000000000u;

  Draws(uint64_t seed, uint64_t kind, uint64_t image) : seed_(seed), stream_(kind ^ image) {}

  /// Uniform on [low, high).
  float between(float low, float high) { return low + (high - low) * (float(next() >> 8) * 0x1p-24f); }
  /// Uniform on 0 .. n - 1.
  int below(int n) { return int(uint64_t(next()) * uint64_t(n) >> 32); }

 private:
  uint32_t next() {
    if (used_ % 4 == 0) block_ = philox(seed_, stream_, used_ / 4);
    return block_.v[used_++ % 4];
  }
  uint64_t seed_, stream_, used_ = 0;
  PhiloxBlock block_;
};

}  // namespace ordo::data
