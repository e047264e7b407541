// The flag by which the processor says that it has rounded a result (IEEE 754, inexact). Internal to exact_cells_cpu.h.
#pragma once

#include <cfenv>
#include <cfloat>

namespace ordo::kernels::cpu::accumulate_detail {

static_assert(FLT_EVAL_METHOD == 0, "operations must round to the type they are of");

/// While it lives, says of the calling thread's floating-point operations whether one of them had to round. Afterwards
/// the thread's flag is as it was before.
class RoundingFlag {
 public:
  RoundingFlag() : was_raised_(is_raised()) { clear(); }
  RoundingFlag(const RoundingFlag&) = delete;
  ~RoundingFlag() {
    if (was_raised_ && !is_raised()) std::feraiseexcept(FE_INEXACT);
    if (!was_raised_) clear();
  }

  /// Whether an operation since clear() has rounded. `results` is where the results are by now: no compiler may compute
  /// them later.
  bool raised(const void* results) const {
    asm volatile("" : : "r"(results) : "memory");
    return is_raised();
  }
  void clear() {
#if defined(__SSE2__)
    if (is_raised()) __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~kInexact);
#else
    std::feclearexcept(FE_INEXACT);
#endif
    asm volatile("" : : : "memory");
  }

  /// Whether there is such a flag: some tools that run a program on a processor of their own do not keep it.
  static bool works();

 private:
  static constexpr unsigned kInexact = 0x20;  // of MXCSR, which <immintrin.h>'s functions give, a megabyte of them

  static bool is_raised() {
#if defined(__SSE2__)
    return (__builtin_ia32_stmxcsr() & kInexact) != 0;
#else
    return std::fetestexcept(FE_INEXACT) != 0;
#endif
  }
  bool was_raised_;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
