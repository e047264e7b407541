// Random numbers of samples.
#pragma once

#include <ordo/engine/run/philox.h>

namespace ordo::data {

/// The random numbers of one sample. They are a stream of their own, decided by what the stream is made from.
class Draws {
 public:
  /// High bits of the Philox stream, so that drawn images, orders and transforms share no numbers with generators of
  /// the same seed.
  static constexpr uint64_t kDigits = 0xd161700000000000u, kCifar10 = 0xc1fa100000000000u,
                            kDistributed = 0xd157000000000000u, kTransforms = 0x7a45f00000000000u;

  Draws(uint64_t seed, uint64_t kind, uint64_t image) : seed_(seed), stream_(kind ^ image) {}
  /// Those of a sample's transforms: they depend on these three numbers only.
  static Draws of_sample(uint64_t seed, int64_t epoch, int64_t sample) {
    return Draws(seed, kTransforms, uint64_t(epoch)).child(uint64_t(sample));
  }
  /// Draws that depend on the numbers this one was made from and on k, not on what was drawn.
  Draws child(uint64_t k) const {
    const PhiloxBlock b = philox(seed_, stream_, uint64_t(1) << 63 | k);  // numbers come from the lower half
    return Draws(uint64_t(b.v[0]) << 32 | b.v[1], 0, uint64_t(b.v[2]) << 32 | b.v[3]);
  }

  /// Uniform on [0, 1), a multiple of 2^-53.
  double uniform() {
    const uint64_t high = next();
    return double((high << 32 | next()) >> 11) * 0x1p-53;
  }
  /// True with probability p.
  bool chance(double p) { return uniform() < p; }
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
