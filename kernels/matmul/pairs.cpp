#include <ordo/kernels/matmul/pairs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace ordo::kernels::cpu {
namespace {

#if defined(__x86_64__) && defined(__GNUC__)

bool has_instruction() { return __builtin_cpu_supports("avx512bf16"); }

// vzeroupper changes them all.
#define ORDO_VECTOR_REGISTERS                                                                                         \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"

constexpr size_t kLanes = 16;
using Pairs = std::array<uint32_t, kLanes>;
using Sums = std::array<float, kLanes>;

void multiply(const Pairs& a, const Pairs& b, Sums& sums) {
  asm volatile(
      "vmovups (%0), %%zmm0\n"
      "vmovups (%1), %%zmm1\n"
      "vmovups (%2), %%zmm2\n"
      "vdpbf16ps %%zmm1, %%zmm0, %%zmm2\n"
      "vmovups %%zmm2, (%2)\n"
      "vzeroupper" ::"r"(a.data()),
      "r"(b.data()), "r"(sums.data())
      : "memory", ORDO_VECTOR_REGISTERS);
}

/// The product of the high halves is added first, fused, and then that of the low halves.
bool adds_in_order() {
  uint64_t state = 1;
  const auto random = [&] { return uint32_t((state = state * 6364136223846793005u + 1442695040888963407u) >> 33); };
  // A sign, `bits` random bits of a significand, and one of `exponents` exponents around 0.
  const auto number = [&](uint32_t exponents, uint32_t bits) {
    const uint32_t exponent = 127 - exponents / 2 + random() % exponents;
    return random() % 2 << 31 | exponent << 23 | random() % (1u << bits) << (23 - bits);
  };
  const auto of_half = [](uint32_t pair, bool low) {
    return std::bit_cast<float>(low ? pair << 16 : pair & 0xffff0000u);
  };
  for (int i = 0; i < 512; ++i) {
    Pairs a, b;
    Sums sums, expected;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      a[lane] = number(40, 7) | number(40, 7) >> 16;
      b[lane] = number(40, 7) | number(40, 7) >> 16;
      sums[lane] = expected[lane] = std::bit_cast<float>(number(60, 23));
      for (const bool low : {false, true})
        expected[lane] = std::fma(of_half(a[lane], low), of_half(b[lane], low), expected[lane]);
    }
    multiply(a, b, sums);
    if (std::bit_cast<Pairs>(sums) != std::bit_cast<Pairs>(expected)) return false;
  }
  return true;
}

#define ORDO_TWELVE(name)                                                                                       \
  name " %%zmm12, %%zmm12, %%zmm0\n" name " %%zmm12, %%zmm12, %%zmm1\n" name " %%zmm12, %%zmm12, %%zmm2\n" name \
       " %%zmm12, %%zmm12, %%zmm3\n" name " %%zmm12, %%zmm12, %%zmm4\n" name " %%zmm12, %%zmm12, %%zmm5\n" name \
       " %%zmm12, %%zmm12, %%zmm6\n" name " %%zmm12, %%zmm12, %%zmm7\n" name " %%zmm12, %%zmm12, %%zmm8\n" name \
       " %%zmm12, %%zmm12, %%zmm9\n" name " %%zmm12, %%zmm12, %%zmm10\n" name " %%zmm12, %%zmm12, %%zmm11\n"
#define ORDO_MANY_TIMES(name)                                                                          \
  asm volatile("vpxord %%zmm12, %%zmm12, %%zmm12\n1:\n" ORDO_TWELVE(name) "dec %0\njnz 1b\nvzeroupper" \
               : "+r"(count)::ORDO_VECTOR_REGISTERS, "cc")

double shortest(bool pairs) {
  using Clock = std::chrono::steady_clock;
  double best = 1;
  for (int i = 0; i < 20; ++i) {
    int64_t count = 500;
    const Clock::time_point began = Clock::now();
    if (pairs)
      ORDO_MANY_TIMES("vdpbf16ps");
    else
      ORDO_MANY_TIMES("vfmadd231ps");
    best = std::min(best, std::chrono::duration<double>(Clock::now() - began).count());
  }
  return best;
}

bool are_faster() {
  shortest(true);  // wide vectors take a while to reach their speed
  return 2 * shortest(false) > 1.3 * shortest(true);
}

#else
bool has_instruction() { return false; }
bool adds_in_order() { return false; }
bool are_faster() { return false; }
#endif

enum class Use : unsigned char { measured, always, never };
std::atomic<Use> wanted = Use::measured;

}  // namespace

bool pairs_are_used() {
  static const bool possible = has_instruction() && adds_in_order(), faster = possible && are_faster();
  const Use use = wanted.load(std::memory_order_relaxed);
  return use == Use::measured ? faster : use == Use::always && possible;
}

void use_pairs(std::optional<bool> always) { wanted = !always ? Use::measured : *always ? Use::always : Use::never; }

}  // namespace ordo::kernels::cpu
