// The arithmetic of fingerprints, for both devices. Elements in row-major order are a stream of bytes, padded with
// zeros to blocks of 128 words of 64 bits. A word w at place j of its block adds
//
//   low(w ^ key(lane, j)) * high(w ^ key(lane, j)) + w
//
// to each of two lanes, 32 bits times 32 bits, all modulo 2^64: NH (Black, Halevi, Krawczyk, Krovetz and Rogaway,
// "UMAC: fast and secure message authentication", CRYPTO 1999) with xor in place of an addition and w added on top, as
// in XXH3 (Collet, 2019), so that no word hides behind a factor of zero. The blocks' lanes, mixed with the block's
// number and with each other, add up to the two halves, modulo 2^64. Sums of integers have no order. Internal.
#pragma once

#include <cstdint>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/host_device.h>
#include <ordo/kernels/elementwise/layout.h>
#include <ordo/kernels/fingerprint/fingerprint.h>

namespace ordo::kernels {

inline constexpr int kFingerprintWords = 128;  // of a block
inline constexpr int kFingerprintBytes = 8 * kFingerprintWords;

/// The finaliser of splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014),
/// with Stafford's constants "Mix13": a bijection in which every bit of x moves every bit of the result.
ORDO_HD constexpr uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/// Number n of the sequence splitmix64 draws from seed 0.
ORDO_HD constexpr uint64_t fingerprint_key(uint64_t n) { return mixed((n + 1) * 0x9e3779b97f4a7c15u); }
/// Of lane 0 or 1 and a word's place in its block.
ORDO_HD constexpr uint64_t word_key(int lane, int place) { return fingerprint_key(uint64_t(2 * place + lane)); }

/// What a word adds to a lane.
ORDO_HD uint64_t word_term(uint64_t word, uint64_t key) {
  const uint64_t x = word ^ key;
  return (x & 0xffffffffu) * (x >> 32) + word;
}

/// What a block adds to the halves.
ORDO_HD uint64_t block_low(uint64_t a, uint64_t b, int64_t block) {
  return mixed(a ^ mixed(b + fingerprint_key(uint64_t(1000 + 2 * block))));
}
ORDO_HD uint64_t block_high(uint64_t a, uint64_t b, int64_t block) {
  return mixed(b ^ mixed(a + fingerprint_key(uint64_t(1001 + 2 * block))));
}

/// What the number of bytes adds to both.
ORDO_HD uint64_t length_term(int64_t bytes) { return mixed(uint64_t(bytes) ^ 0x6f72646f00000000u); }

struct FingerprintArgs {
  Layout<1> layout;  // in row-major order
  const void* data;
  size_t element_size;
  Device device;

  int64_t bytes() const { return layout.numel * int64_t(element_size); }
  int64_t blocks() const { return (bytes() + kFingerprintBytes - 1) / kFingerprintBytes; }
  bool contiguous() const { return layout.rank == 1 && (layout.strides[0][0] == 1 || layout.numel == 1); }
};

/// Without the term of the length. All are of one device.
ORDO_DEVICES(void, fingerprints, const FingerprintArgs* args, int64_t count, Fingerprint* out)

}  // namespace ordo::kernels
