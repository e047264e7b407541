// The direction in which the processor rounds (IEEE 754, section 4.3). Internal to interval_cells_cpu.h.
#pragma once

#include <cfenv>
#include <cfloat>

namespace ordo::kernels::cpu::accumulate_detail {

static_assert(FLT_EVAL_METHOD == 0, "operations must round to the type they are of");

/// While it lives, the calling thread rounds to the next number below. `results` is where what it computes goes: no
/// compiler may compute that earlier, or later.
class RoundsDown {
 public:
  explicit RoundsDown(const void* results) {
#if defined(__SSE2__)
    __builtin_ia32_ldmxcsr((before_ & ~kDirections) | kDown);
#else
    std::fesetround(FE_DOWNWARD);
#endif
    asm volatile("" : : "r"(results) : "memory");
  }
  RoundsDown(const RoundsDown&) = delete;
  ~RoundsDown() {
    asm volatile("" : : : "memory");
#if defined(__SSE2__)
    __builtin_ia32_ldmxcsr(before_);
#else
    std::fesetround(before_);
#endif
  }

  /// Whether the processor does: some tools that run a program on a processor of their own round to nearest always.
  static bool works();

 private:
#if defined(__SSE2__)
  static constexpr unsigned kDirections = 0x6000, kDown = 0x2000;  // of MXCSR
  const unsigned before_ = __builtin_ia32_stmxcsr();
#else
  const int before_ = std::fegetround();
#endif
};

}  // namespace ordo::kernels::cpu::accumulate_detail
