// The CPU's loops over elements, reductions and row programs, for *.loops.h of the families that have none of their
// own. Internal.
#pragma once

#include <algorithm>
#include <bit>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/reduce/row_program_cpu.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

// -- many outputs of at most a value for each lane

inline constexpr int64_t kShortTile = 256;  // outputs that are computed together

/// The outputs lie on one line, the values of each on another.
inline bool is_short(const ReduceShape& g) {
  return g.length > 1 && g.length <= kReduceLanes && g.kept == 1 && g.reduced == 1 && g.outputs >= kShortTile &&
         (g.kept_inner_stride() == 1 || g.inner_stride() == 1);
}

/// tile[w] = the state of output o + w, for `width` outputs, each of 2 kHalf neighbouring values. Nothing but the
/// values and the results is in memory.
template <int kHalf, class R, class State>
void reduce_neighbours(const R& r, int64_t o, int64_t step, int64_t width, State* tile) {
  for (int64_t w = 0; w < width; ++w) {
    const int64_t at = (o + w) * step;
    State s[kHalf];
    for (int i = 0; i < kHalf; ++i)
      s[i] = R::combine(r.load(at + i, i, o + w), r.load(at + i + kHalf, i + kHalf, o + w));
#pragma GCC unroll 8
    for (int part = kHalf / 2; part > 0; part /= 2)
#pragma GCC unroll 8
      for (int k = 0; k < part; ++k) s[k] = R::combine(s[k], s[k + part]);
    tile[w] = s[0];
  }
}

/// reduce() where is_short(g). A lane is a row of the tile; the upper half of the lanes is added as it is loaded.
template <class R>
void reduce_short(const R& r, const ReduceShape& g) {
  using State = typename R::State;
  const int64_t tiles = (g.outputs + kShortTile - 1) / kShortTile, length = g.length;
  const int64_t step = g.kept_inner_stride(), stride = g.inner_stride();
  const int64_t half = int64_t(std::bit_ceil(uint64_t(length))) / 2;
  parallel_for(0, tiles, kReduceGrain / (kShortTile * length) + 1, [&](int64_t first, int64_t last) {
    alignas(64) State tile[kReduceLanes / 2][kShortTile];
    for (int64_t t = first; t < last; ++t) {
      const int64_t o = t * kShortTile, width = std::min(kShortTile, g.outputs - o);
      if (step == 1) {
        for (int64_t i = 0; i < half; ++i) {
          detail::fetch_line<kShortTile>(r, o + kShortTile + i * stride);
          for (int64_t w = 0; w < width; ++w) tile[i][w] = r.load(o + w + i * stride, i, o + w);
        }
        for (int64_t i = half; i < length; ++i) {
          detail::fetch_line<kShortTile>(r, o + kShortTile + i * stride);
          for (int64_t w = 0; w < width; ++w)
            tile[i - half][w] = R::combine(tile[i - half][w], r.load(o + w + i * stride, i, o + w));
        }
      } else if (length == 8 || length == 16 || length == 32) {
        (length == 8    ? reduce_neighbours<4, R, State>
         : length == 16 ? reduce_neighbours<8, R, State>
                        : reduce_neighbours<16, R, State>)(r, o, step, width, tile[0]);
        for (int64_t w = 0; w < width; ++w) r.store(o + w, tile[0][w]);
        continue;
      } else {
        for (int64_t w = 0; w < width; ++w) {
          const int64_t at = (o + w) * step;
          for (int64_t i = 0; i < half; ++i) tile[i][w] = r.load(at + i, i, o + w);
          for (int64_t i = half; i < length; ++i)
            tile[i - half][w] = R::combine(tile[i - half][w], r.load(at + i, i, o + w));
        }
      }
      for (int64_t part = half / 2; part > 0; part /= 2)
        for (int64_t k = 0; k < part; ++k)
          for (int64_t w = 0; w < width; ++w) tile[k][w] = R::combine(tile[k][w], tile[k + part][w]);
      for (int64_t w = 0; w < width; ++w) r.store(o + w, tile[0][w]);
    }
  });
}

/// For operations that are used on short rows.
template <class R>
void reduce_or_short(const R& r, const ReduceShape& g, Device) {
  is_short(g) ? reduce_short(r, g) : reduce(r, g);
}

// -- places

/// Along memory the extreme value is found first, which vectorises, and then its first place.
template <class T>
void reduce_place(const ArgExtremumReducer<T>& r, const ReduceShape& g, Device device) {
  if (g.outputs == 0 || g.across_outputs()) return reduce(r, g);
  const Scratch<T> extremes(g.outputs, device);
  reduce_along(ExtremumReducer<T>(r.x, extremes, r.least), g);
  parallel_for(0, g.outputs, std::max<int64_t>(1, kReduceGrain / g.length), [&](int64_t first, int64_t last) {
    for (int64_t o = first; o < last; ++o) {
      const int64_t base = g.base(o);
      const compare_t<T> wanted = r.turn(compare_t<T>(extremes[o]));
      auto s = r.load(base, 0, o);
      while (s.value != wanted && (s.value == s.value || wanted == wanted))
        s = r.load(base + g.offset(s.index + 1), s.index + 1, o);
      r.store(o, s);
    }
  });
}

}  // namespace ordo::kernels::cpu
