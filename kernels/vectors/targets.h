// Which instruction sets kernels written with Highway are compiled for: those that have a fused multiply-add, and plain
// C++ for all other machines. Include before Highway's headers, always: Highway 1.0's own choice does not compile with
// -march=native on processors that have AVX-VNNI and all of AVX-512. Internal.
//
// Such a kernel is a .cpp file that Highway includes once for each instruction set; the program chooses the best one
// that the processor has when it first calls the kernel. `hwy::SetSupportedTargetsForTest` makes it choose among
// others.
#pragma once

#if defined(__x86_64__)  // elsewhere every processor has what the compiler assumes, 64-bit ARM NEON
#define HWY_BASELINE_TARGETS HWY_BASELINE_SCALAR
#endif
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
