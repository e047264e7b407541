// Different tensors have different fingerprints: ORDO_FINGERPRINT_TRIES tensors (a million without it), made from a few
// by the changes that sums and xors do not see. The halves are held to it one by one, which is more than is promised.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <ordo/engine/run/philox.h>
#include <ordo/kernels/fingerprint/mix.h>
#include <ordo/ordo.h>

namespace ordo::test::collisions_test {
namespace {

using Floats = std::vector<float>;

Fingerprint fingerprint_of(const Floats& values) {
  const kernels::FingerprintArgs args{kernels::flat_layout<1>(int64_t(values.size())), values.data(), 4, Device()};
  Fingerprint f;
  kernels::cpu::fingerprints(&args, 1, &f);
  return f;
}

/// Tells tensors of one size apart, by other means.
uint64_t identity_of(const Floats& values) {
  uint64_t h = 0;
  for (size_t i = 0; i + 1 < values.size(); i += 2) {
    uint64_t w;
    std::memcpy(&w, &values[i], 8);
    h = std::rotl((h ^ w) * 0x9fb21c651e98df25u, 29);
  }
  return h;
}

Floats base(int kind, size_t n, data::Draws& draws) {
  Floats v(n);
  for (size_t i = 0; i < n; ++i)
    v[i] = kind == 0   ? 0.0f
           : kind == 1 ? 1.0f
           : kind == 2 ? float(draws.below(3)) - 1
           : kind == 3 ? float(i)
                       : draws.between(-1, 1);
  return v;
}

void flip(float& value, int bit) { value = std::bit_cast<float>(std::bit_cast<uint32_t>(value) ^ 1u << bit); }

void change(Floats& v, int kind, data::Draws& draws) {
  const int n = int(v.size());
  const auto any = [&] { return size_t(draws.below(n)); };
  switch (kind) {
    case 0:  // one bit
      return flip(v[any()], draws.below(32));
    case 1: {  // the same bit of two elements: xors and sums of words do not see it
      const int bit = draws.below(32);
      flip(v[any()], bit), flip(v[any()], bit);
      return;
    }
    case 2:  // some bits
      for (int k = 2 + draws.below(4); k > 0; --k) flip(v[any()], draws.below(32));
      return;
    case 3:  // two elements change places
      return std::swap(v[any()], v[any()]);
    case 4: {  // neighbours of even places do
      const size_t at = any() / 2 * 2;
      if (at + 1 < v.size()) std::swap(v[at], v[at + 1]);
      return;
    }
    case 5:  // all move along
      std::rotate(v.begin(), v.begin() + draws.below(n), v.end());
      return;
    case 6: {  // a part turns round
      size_t a = any(), b = any();
      if (a > b) std::swap(a, b);
      std::reverse(v.begin() + int64_t(a), v.begin() + int64_t(b));
      return;
    }
    case 7: {  // signs
      for (int k = 1 + draws.below(8); k > 0; --k) flip(v[any()], 31);
      return;
    }
    case 8: {  // integers: one more here, one less there
      const size_t a = any(), b = any();
      v[a] = std::bit_cast<float>(std::bit_cast<uint32_t>(v[a]) + 1);
      v[b] = std::bit_cast<float>(std::bit_cast<uint32_t>(v[b]) - 1);
      return;
    }
    default:  // a permutation of some elements
      for (int k = 3 + draws.below(20); k > 0; --k) std::swap(v[any()], v[any()]);
  }
}

struct Seen {
  uint64_t half, identity;
};

int64_t collisions(std::vector<Seen>& seen) {
  std::sort(seen.begin(), seen.end(),
            [](const Seen& a, const Seen& b) { return a.half != b.half ? a.half < b.half : a.identity < b.identity; });
  int64_t count = 0;
  for (size_t i = 1; i < seen.size(); ++i)
    count += seen[i].half == seen[i - 1].half && seen[i].identity != seen[i - 1].identity;
  return count;
}

TEST(FingerprintCollisions, none_among_changed_tensors) {
  const char* const given = std::getenv("ORDO_FINGERPRINT_TRIES");
  const int64_t tries = given ? std::atoll(given) : 1'000'000;
  constexpr int64_t kRound = 2'000'000;
  int64_t made = 0;
  for (uint64_t round = 0; made < tries; ++round) {
    data::Draws draws(11, 0, round);
    // Less than a block, a block, several.
    const size_t n = size_t(std::vector<int>{30, 256, 700}[round % 3]);
    std::vector<Seen> low, high;
    for (int kind = 0; kind < 5; ++kind) {
      const Floats from = base(kind, n, draws);
      for (int64_t i = 0; i < std::min(kRound, tries) / 10; ++i, ++made) {
        Floats v = from;
        change(v, int(i % 10), draws);
        if (i % 3 == 0) change(v, draws.below(10), draws);
        const Fingerprint f = fingerprint_of(v);
        const uint64_t identity = identity_of(v);
        low.push_back({f.low, identity});
        high.push_back({f.high, identity});
      }
    }
    ASSERT_EQ(collisions(low), 0) << "of low halves, round " << round;
    ASSERT_EQ(collisions(high), 0) << "of high halves, round " << round;
  }
  RecordProperty("tries", std::to_string(made));
}

TEST(FingerprintCollisions, all_pairs_of_bits_of_a_block) {
  // Every tensor with at most two bits set in 16 words: 524 801 of them.
  std::vector<Seen> low, high;
  Floats v(32, 0.0f);
  const auto add = [&](uint64_t identity) {
    const Fingerprint f = fingerprint_of(v);
    low.push_back({f.low, identity});
    high.push_back({f.high, identity});
  };
  add(~uint64_t(0));
  for (uint64_t a = 0; a < 1024; ++a) {
    flip(v[a / 32], int(a % 32));
    add(a);
    for (uint64_t b = 0; b < a; ++b) {
      flip(v[b / 32], int(b % 32));
      add(a << 10 | b | uint64_t(1) << 40);
      flip(v[b / 32], int(b % 32));
    }
    flip(v[a / 32], int(a % 32));
  }
  EXPECT_EQ(low.size(), 524801u);
  EXPECT_EQ(collisions(low), 0);
  EXPECT_EQ(collisions(high), 0);
}

TEST(FingerprintCollisions, lengths_and_zeros_differ) {
  std::vector<Seen> low;
  for (size_t n = 0; n < 2000; ++n) low.push_back({kernels::fingerprint(zeros({int64_t(n)}, {uint8})).low, n});
  EXPECT_EQ(collisions(low), 0);
}

}  // namespace
}  // namespace ordo::test::collisions_test
