// The instruction sets of the CPU kernels that are written with Highway (kernels/vectors/targets.h). Internal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// An attribute of functions that the compiler makes for AVX-512, where it can: with vectors of twice the width they take
/// up to a third less time. No bit differs. has_avx512() says when to call them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ORDO_MAKES_AVX512 1
#define ORDO_AVX512 gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#else
#define ORDO_MAKES_AVX512 0
#define ORDO_AVX512
#endif

namespace ordo::kernels::cpu {

/// Those that the kernels are compiled for and this processor has, by Highway's names, the one in use first. The last
/// one is plain C++.
std::vector<std::string> vector_targets();

/// Makes the kernels use one of them; with an empty name the best one again. For tests. ORDO_VECTORS=NAME in the
/// environment does so from the start.
void use_vector_target(const std::string& name);

/// Whether the one in use has AVX-512's vectors, for loops that a compiler makes.
bool has_avx512();

namespace detail {
/// All that f calls becomes part of these functions: a loop with a call would not vectorise.
struct Vectorised {
  template <class F>
  [[gnu::noinline, gnu::flatten]] static void baseline(F f) {
    f();
  }
  template <class F>
  [[gnu::noinline, gnu::flatten, ORDO_AVX512]] static void avx512(F f) {
    f();
  }
};
}  // namespace detail

/// Calls f, whose loops over n values are compiled for AVX-512 as well. f should contain copies of what they read, which
/// no store can change.
template <class F>
void vectorised([[maybe_unused]] int64_t n, const F& f) {
#if ORDO_MAKES_AVX512
  if (n >= 16 && has_avx512()) return detail::Vectorised::avx512(f);
#endif
  detail::Vectorised::baseline(f);
}

}  // namespace ordo::kernels::cpu
