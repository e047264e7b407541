// CPU threads. Work is split into pieces whose boundaries never change a result: either every output has one writer, or
// partial results are combined in an order that depends on the problem only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

namespace ordo {

/// Threads used by CPU operations; starts as OMP_NUM_THREADS or the number of usable cores. Threads of the program that
/// compute at the same time share them: of two, each uses half. No result depends on it.
int num_threads();
/// Sets num_threads(). Throws: ValueError when n is not in [1, 4096].
void set_num_threads(int n);

namespace detail {
/// Runs body(context, piece) for piece = 0..pieces-1 on a thread pool. Throws: what the lowest piece that failed threw.
void run_pieces(int pieces, void (*body)(void*, int), void* context);
bool in_parallel_region();
/// In a child of fork(), which has no threads of the pools: it starts its own.
void forget_threads();
}  // namespace detail

/// Threads worth using on `work` steps, at least `grain` (> 0) each; 1 inside of a piece.
inline int pieces_for(int64_t work, int64_t grain) {
  if (detail::in_parallel_region()) return 1;
  return int(std::clamp<int64_t>(work / grain, 1, num_threads()));
}

/// Calls f(piece) for piece in [0, pieces), at most 65535, here and on the pool's threads. Throws: what f throws, of
/// several pieces the lowest one's.
template <class F>
void for_pieces(int pieces, const F& f) {
  struct Body {
    // One copy of f, whether one thread runs it or several.
    [[gnu::noinline]] static void run(void* p, int piece) { (*static_cast<const F*>(p))(piece); }
  };
  void* const context = const_cast<F*>(&f);
  if (pieces == 1)
    Body::run(context, 0);
  else
    detail::run_pieces(pieces, Body::run, context);
}

/// Calls f(first, last) for disjoint ranges that cover [begin, end), at most one for each thread. With several ranges,
/// each has at least `grain` elements; a single one runs on the calling thread. Throws: as for_pieces.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  const int64_t n = end - begin;
  if (n <= 0) return;
  const int64_t most = std::max<int64_t>(1, n / std::max<int64_t>(1, grain));
  const int pieces = detail::in_parallel_region() ? 1 : int(std::min<int64_t>(num_threads(), most));
  for_pieces(pieces, [&](int piece) {
    f(piece == 0 ? begin : begin + n * piece / pieces, piece + 1 == pieces ? end : begin + n * (piece + 1) / pieces);
  });
}

}  // namespace ordo
