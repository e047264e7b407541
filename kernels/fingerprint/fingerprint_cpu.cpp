#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/fingerprint/mix.h>

namespace ordo::kernels::cpu {
namespace {

constexpr int64_t kGrain = 64, kStridedGrain = 16;  // blocks

template <int lane>
constexpr std::array<uint64_t, kFingerprintWords> keys_of() {
  std::array<uint64_t, kFingerprintWords> keys{};
  for (int j = 0; j < kFingerprintWords; ++j) keys[size_t(j)] = word_key(lane, j);
  return keys;
}
alignas(64) constexpr std::array<uint64_t, kFingerprintWords> kKeys[2] = {keys_of<0>(), keys_of<1>()};

void add_block(const unsigned char* bytes, int64_t block, Fingerprint& sum) {
  uint64_t a = 0, b = 0;
  for (size_t j = 0; j < kFingerprintWords; ++j) {
    uint64_t word;
    std::memcpy(&word, bytes + 8 * j, 8);
    a += word_term(word, kKeys[0][j]);
    b += word_term(word, kKeys[1][j]);
  }
  sum.low += block_low(a, b, block);
  sum.high += block_high(a, b, block);
}

Fingerprint of_contiguous(const FingerprintArgs& args, int64_t first, int64_t last) {
  const auto* bytes = static_cast<const unsigned char*>(args.data);
  const int64_t whole = args.bytes() / kFingerprintBytes;
  Fingerprint sum;
  for (int64_t block = first; block < std::min(last, whole); ++block)
    add_block(bytes + block * kFingerprintBytes, block, sum);
  if (last > whole) {
    unsigned char rest[kFingerprintBytes] = {};
    std::memcpy(rest, bytes + whole * kFingerprintBytes, size_t(args.bytes() - whole * kFingerprintBytes));
    add_block(rest, whole, sum);
  }
  return sum;
}

/// Brings a block's elements together, then does the same.
template <class Word>
Fingerprint of_strided(const FingerprintArgs& args, int64_t first, int64_t last) {
  constexpr int64_t kElements = kFingerprintBytes / int64_t(sizeof(Word));
  const Layout<1>& l = args.layout;
  const Word* data = static_cast<const Word*>(args.data);
  Fingerprint sum;
  for (int64_t block = first; block < last; ++block) {
    Word elements[kElements] = {};
    Word* to = elements;
    for_rows(l, block * kElements, std::min(l.numel, (block + 1) * kElements), [&](const int64_t(&at)[1], int64_t n) {
      const int64_t stride = l.strides[0][0];
      const Word* from = data + at[0];
      for (int64_t i = 0; i < n; ++i) *to++ = from[i * stride];
    });
    add_block(reinterpret_cast<const unsigned char*>(elements), block, sum);
  }
  return sum;
}

}  // namespace

void fingerprints(const FingerprintArgs* args, int64_t count, Fingerprint* out) {
  for (int64_t k = 0; k < count; ++k) {
    std::atomic<uint64_t> low = 0, high = 0;
    const bool contiguous = args[k].contiguous();
    const int64_t grain = contiguous ? kGrain : kStridedGrain;
    parallel_for(0, args[k].blocks(), grain, [&](int64_t first, int64_t last) {
      const Fingerprint part =
          contiguous ? of_contiguous(args[k], first, last) : dispatch_word(args[k].element_size, [&]<class Word>() {
            return of_strided<Word>(args[k], first, last);
          });
      low.fetch_add(part.low, std::memory_order_relaxed);
      high.fetch_add(part.high, std::memory_order_relaxed);
    });
    out[k] = {high, low};
  }
}

}  // namespace ordo::kernels::cpu
