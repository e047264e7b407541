// Rule 2 of docs/ordering.md on the CPU. Blocks of one output, or outputs, go to different threads; the 32 lanes, or
// neighbouring outputs, to a register's elements. None of it changes a bit.
#pragma once

#include <algorithm>
#include <type_traits>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/independent.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kReduceGrain = 65536;  // values per thread that are worth waking it for

/// Walks the reduced loops around the innermost one.
class RunWalker {
 public:
  RunWalker(const ReduceShape& g, int64_t i) : g_(g) {
    if (g.reduced == 1) {  // without a division
      index_[0] = i;
      offset_ = i * g.reduced_strides[0];
      return;
    }
    for (int d = g.reduced - 1; d >= 0; --d) {
      const int64_t q = g.reduced_sizes[d].quotient(i);
      index_[d] = i - q * g.reduced_sizes[d].value;
      i = q;
      offset_ += index_[d] * g.reduced_strides[d];
    }
  }
  int64_t offset() const { return offset_; }
  /// Values left in the innermost loop.
  int64_t left() const { return g_.reduced ? g_.reduced_sizes[g_.reduced - 1].value - index_[g_.reduced - 1] : 1; }
  void advance(int64_t n) {
    int d = g_.reduced - 1;
    if (d < 0) return;
    index_[d] += n;
    offset_ += n * g_.reduced_strides[d];
    while (d > 0 && index_[d] == g_.reduced_sizes[d].value) {
      offset_ -= index_[d] * g_.reduced_strides[d];
      index_[d--] = 0;
      ++index_[d];
      offset_ += g_.reduced_strides[d];
    }
  }

 private:
  const ReduceShape& g_;
  int64_t index_[kMaxDims];
  int64_t offset_ = 0;
};

namespace detail {

// What is not inlined here has several callers, and would otherwise be most of the library. It takes its reducer by
// value, which no store of a State can change.

/// Folds n consecutive values, at most as many as there are lanes, into as many lanes.
template <class R>
[[gnu::noinline]] void fold_part(R r, typename R::State* lanes, int64_t at, int64_t i, int n, int64_t output) {
  for (int k = 0; k < n; ++k) lanes[k] = R::combine(lanes[k], r.load(at + k, i + k, output));
}

/// Folds n consecutive values into the lanes, beginning at lane `lane`.
template <class R>
[[gnu::always_inline]] inline void fold_run(const R& r, typename R::State* lanes, int lane, int64_t at, int64_t i,
                                            int64_t n, int64_t output) {
  if (lane) {
    const int head = int(std::min<int64_t>(n, kReduceLanes - lane));
    fold_part(r, lanes + lane, at, i, head, output);
    at += head, i += head, n -= head;
  }
  if (n >= kReduceLanes) {
    typename R::State registers[kReduceLanes];
    for (int k = 0; k < kReduceLanes; ++k) registers[k] = lanes[k];
    for (; n >= kReduceLanes; n -= kReduceLanes, i += kReduceLanes, at += kReduceLanes)
      for (int k = 0; k < kReduceLanes; ++k) registers[k] = R::combine(registers[k], r.load(at + k, i + k, output));
    for (int k = 0; k < kReduceLanes; ++k) lanes[k] = registers[k];
  }
  for (int k = 0; k < n; ++k) lanes[k] = R::combine(lanes[k], r.load(at + k, i + k, output));
}

/// Folds n values that lie `stride` apart into the lanes.
template <class R>
[[gnu::noinline]] void fold_strided(R r, typename R::State* lanes, int lane, int64_t at, int64_t stride, int64_t i,
                                    int64_t n, int64_t output) {
  for (; lane != 0 && n > 0; --n, ++i, at += stride, lane = (lane + 1) % kReduceLanes)
    lanes[lane] = R::combine(lanes[lane], r.load(at, i, output));
  for (; n > 0; n -= kReduceLanes, i += kReduceLanes, at += kReduceLanes * stride) {
    const int count = int(std::min<int64_t>(n, kReduceLanes));
#pragma GCC unroll 1  // written out, it would be most of the library
    for (int k = 0; k < count; ++k) lanes[k] = R::combine(lanes[k], r.load(at + k * stride, i + k, output));
  }
}

template <class R>
typename R::State halve(typename R::State* lanes) {
  for (int k = 0; k < 16; ++k) lanes[k] = R::combine(lanes[k], lanes[k + 16]);
  for (int k = 0; k < 8; ++k) lanes[k] = R::combine(lanes[k], lanes[k + 8]);
  for (int k = 0; k < 4; ++k) lanes[k] = R::combine(lanes[k], lanes[k + 4]);
  for (int k = 0; k < 2; ++k) lanes[k] = R::combine(lanes[k], lanes[k + 2]);
  return R::combine(lanes[0], lanes[1]);
}

/// Values [begin, end) of one output, at most a block.
template <class R>
[[gnu::noinline]] typename R::State reduce_block(const R& r, const ReduceShape& g, int64_t base, int64_t output,
                                                 int64_t begin, int64_t end) {
  alignas(64) typename R::State lanes[kReduceLanes];
  for (int k = 0; k < kReduceLanes; ++k) lanes[k] = R::identity();
  constexpr bool kRuns = requires { r.left(begin); };
  if constexpr (kOneLine<R>) {
    if constexpr (kRuns)
      for (int64_t i = begin, n; i < end; i += n) {
        n = std::min(r.left(i), end - i);
        fold_run(r.run(base + i, output), lanes, int(i % kReduceLanes), base + i, i, n, output);
      }
    else
      fold_run(r, lanes, 0, base + begin, begin, end - begin, output);
    return halve<R>(lanes);
  }
  const int64_t stride = g.inner_stride();
  if (!kRuns && g.reduced <= 1) {
    if (stride == 1)
      fold_run(r, lanes, 0, base + begin, begin, end - begin, output);
    else
      fold_strided(r, lanes, 0, base + begin * stride, stride, begin, end - begin, output);
    return halve<R>(lanes);
  }
  RunWalker walker(g, begin);
  for (int64_t i = begin; i < end;) {
    int64_t n = std::min(walker.left(), end - i);
    if constexpr (kRuns) n = std::min(n, r.left(i));
    const int lane = int(i % kReduceLanes);
    const int64_t at = base + walker.offset();
    if (stride != 1)
      fold_strided(r, lanes, lane, at, stride, i, n, output);
    else if constexpr (kRuns)
      fold_run(r.run(at, output), lanes, lane, at, i, n, output);
    else
      fold_run(r, lanes, lane, at, i, n, output);
    walker.advance(n);
    i += n;
  }
  return halve<R>(lanes);
}

/// The block results of one output, by rule 1. Overwrites them.
template <class R>
typename R::State fold_blocks(typename R::State* v, int64_t count) {
  for (; count > 1; count = (count + kOrderedGroup - 1) / kOrderedGroup)
    for (int64_t g = 0; g * kOrderedGroup < count; ++g) {
      typename R::State s = v[g * kOrderedGroup];
      const int64_t end = std::min(count, (g + 1) * kOrderedGroup);
      for (int64_t i = g * kOrderedGroup + 1; i < end; ++i) s = R::combine(s, v[i]);
      v[g] = s;
    }
  return v[0];
}

inline constexpr int kReduceTile = 64, kNarrowTile = 16;  // outputs, whose loops have a fixed length
inline constexpr int64_t kRowsAhead = 16;

/// Fetches N values from `at` on: a tile's are too few in a row for the processor to foresee.
template <int64_t N, class R>
void fetch_line(const R& r, int64_t at) {
  if constexpr (requires { r.x; }) {
    constexpr int64_t kLine = 64 / sizeof(*r.x);
    for (int64_t i = 0; i < N; i += kLine) __builtin_prefetch(r.x + at + i, 0, 2);
  }
}

/// Values [begin, end) of `rows` times `width` neighbouring outputs, the first of which is `output`; results into
/// tile[0]. The values of a row's outputs are neighbours from its base on.
template <class R>
[[gnu::noinline]] void reduce_tile(R r, const ReduceShape& g, const int64_t* bases, int rows, int64_t output, int width,
                                   int64_t begin, int64_t end, typename R::State (*tile)[kReduceTile]) {
  int lanes = int(std::min<int64_t>(end - begin, kReduceLanes));
  for (int k = 0; k < lanes; ++k) std::fill_n(tile[k], rows * width, R::identity());
  RunWalker walker(g, begin);
  const int64_t ahead = kRowsAhead * g.inner_stride(), fetching = width == kReduceTile ? end - kRowsAhead : begin;
  for (int64_t i = begin; i < end; ++i, walker.advance(1))
    for (int row = 0; row < rows; ++row) {
      const int64_t at = bases[row] + walker.offset(), o = output + row * width;
      if (i < fetching) fetch_line<kReduceTile>(r, at + ahead);
      typename R::State* lane = tile[i % kReduceLanes] + row * width;
      if (width == kReduceTile) {
        ORDO_INDEPENDENT
        for (int w = 0; w < kReduceTile; ++w) lane[w] = R::combine(lane[w], r.load(at + w, i, o + w));
      } else if (width == kNarrowTile && std::is_floating_point_v<typename R::State>) {
        ORDO_INDEPENDENT
#pragma GCC unroll 1  // GCC would write out so few steps, and then not see vectors
        for (int w = 0; w < kNarrowTile; ++w) lane[w] = R::combine(lane[w], r.load(at + w, i, o + w));
      } else {
        ORDO_INDEPENDENT
        for (int w = 0; w < width; ++w) lane[w] = R::combine(lane[w], r.load(at + w, i, o + w));
      }
    }
  width *= rows;
  for (int half = kReduceLanes / 2; half > 0; half /= 2) {
    for (int k = 0; k + half < lanes; ++k) {
      ORDO_INDEPENDENT
      for (int w = 0; w < width; ++w) tile[k][w] = R::combine(tile[k][w], tile[k + half][w]);
    }
    lanes = std::min(lanes, half);
  }
}

}  // namespace detail

/// One output, on the calling thread.
template <class R>
typename R::State reduce_one(const R& r, const ReduceShape& g, int64_t output) {
  const int64_t base = g.base(output), blocks = g.blocks();
  if (g.length == 0) return R::empty();
  if (blocks == 1) return detail::reduce_block(r, g, base, output, 0, g.length);
  Scratch<typename R::State> partial(blocks, ordo::cpu);
  for (int64_t b = 0; b < blocks; ++b)
    partial[b] = detail::reduce_block(r, g, base, output, b * kReduceBlock, std::min(g.length, (b + 1) * kReduceBlock));
  return detail::fold_blocks<R>(partial, blocks);
}

namespace detail {

/// Calls of_items(first, last) for the blocks of all outputs, or of all tiles of them, and folds the blocks.
template <class R, class F>
void reduce_items(const R& r, const ReduceShape& g, int64_t items, int64_t outputs_per_item, const F& of_items) {
  using State = typename R::State;
  if (g.outputs == 0) return;
  if (g.length == 0) {
    for (int64_t o = 0; o < g.outputs; ++o) r.store(o, R::empty());
    return;
  }
  const int64_t blocks = g.blocks(), per_item = std::min<int64_t>(g.length, kReduceBlock) * outputs_per_item;
  Scratch<State> partial(blocks > 1 ? g.outputs * blocks : 0, ordo::cpu);
  State* const partials = partial;
  const auto put = [&r, blocks, partials](int64_t o, int64_t block, const State& s) {
    if (blocks == 1)
      r.store(o, s);
    else
      partials[o * blocks + block] = s;
  };
  parallel_for(0, items * blocks, std::max<int64_t>(1, kReduceGrain / per_item),
               [&](int64_t first, int64_t last) { of_items(first, last, put); });
  if (blocks == 1) return;
  parallel_for(0, g.outputs, std::max<int64_t>(1, kReduceGrain / blocks), [&](int64_t first, int64_t last) {
    for (int64_t o = first; o < last; ++o) r.store(o, fold_blocks<R>(partials + o * blocks, blocks));
  });
}

}  // namespace detail

/// Output by output.
template <class R>
void reduce_along(const R& r, const ReduceShape& g) {
  const int64_t blocks = g.blocks();
  detail::reduce_items(r, g, g.outputs, 1, [&](int64_t first, int64_t last, const auto& put) {
    for (int64_t item = first; item < last; ++item) {
      const int64_t o = blocks == 1 ? item : item / blocks, begin = (item - o * blocks) * kReduceBlock;
      put(o, item - o * blocks,
          detail::reduce_block(r, g, g.base(o), o, begin, std::min(g.length, begin + kReduceBlock)));
    }
  });
}

/// Many neighbouring outputs at once, where g.across_outputs().
template <class R>
void reduce_across(const R& r, const ReduceShape& g) {
  constexpr int64_t kTile = detail::kReduceTile;
  const int64_t blocks = g.blocks(), row = g.kept_inner_size(), tiles = (row + kTile - 1) / kTile;
  const int64_t all = g.outputs / row, together = std::max<int64_t>(1, kTile / row);  // rows in a tile, where short
  const auto of_items = [&](int64_t first, int64_t last, const auto& put) {
    alignas(64) typename R::State tile[kReduceLanes][kTile];
    int64_t bases[kTile];
    for (int64_t item = first; item < last; ++item) {
      const int64_t b = item % blocks, t = item / blocks % tiles, begin = item / (blocks * tiles) * together;
      const int64_t o = begin * row + t * kTile;
      const int rows = int(std::min(together, all - begin)), width = int(std::min(kTile, row - t * kTile));
      for (int k = 0; k < rows; ++k) bases[k] = g.base(o + k * row);
      detail::reduce_tile(r, g, bases, rows, o, width, b * kReduceBlock, std::min(g.length, (b + 1) * kReduceBlock),
                          tile);
      for (int w = 0; w < rows * width; ++w) put(o + w, b, tile[0][w]);
    }
  };
  detail::reduce_items(r, g, (all + together - 1) / together * tiles, together * std::min(row, kTile), of_items);
}

template <class R>
void reduce(const R& r, const ReduceShape& g, Device = Device()) {
  if constexpr (!kOneLine<R>)
    if (g.across_outputs()) return reduce_across(r, g);
  reduce_along(r, g);
}

}  // namespace ordo::kernels::cpu
