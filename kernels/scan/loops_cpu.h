// Scans by CPU threads: rule 6 of docs/ordering.md. Internal.
#pragma once

#include <algorithm>

#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/scan/scan.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {
namespace scan_detail {

constexpr int64_t kGrain = 8192;  // values

/// Scans the blocks of `states`, sixteen whole ones at a time: every sum waits for the one before it.
template <class Op, class State>
void scan_blocks(const Op& op, int64_t count, State* states) {
  constexpr int kBlock = Op::kBlock, kAtOnce = 16;
  int64_t at = 0;
  for (; at + kAtOnce * kBlock <= count; at += kAtOnce * kBlock) {
    State* s = states + at;
    State sum[kAtOnce], next[kAtOnce];
    for (int b = 0; b < kAtOnce; ++b) sum[b] = s[b * kBlock];
    for (int i = 1; i < kBlock; ++i) {
      for (int b = 0; b < kAtOnce; ++b) next[b] = s[b * kBlock + i];
      for (int b = 0; b < kAtOnce; ++b) sum[b] = op.combine(sum[b], next[b]);
      for (int b = 0; b < kAtOnce; ++b) s[b * kBlock + i] = sum[b];
    }
  }
  for (; at < count; at += kBlock)
    for (int64_t i = at + 1; i < std::min(count, at + kBlock); ++i) states[i] = op.combine(states[i - 1], states[i]);
}

/// Scans values [begin, begin + count) of the line at `base`, a chunk or less, into `states`.
template <class Op, class State>
void scan_chunk(const Op& op, int64_t base, int64_t step, int64_t begin, int64_t count, State* states) {
  if (step == 1)
    for (int64_t i = 0; i < count; ++i) states[i] = op.load(base + begin + i, begin + i);
  else
    for (int64_t i = 0; i < count; ++i) states[i] = op.load(base + (begin + i) * step, begin + i);
  scan_blocks(op, count, states);
  for (int64_t at = Op::kBlock; at < count; at += Op::kBlock) {
    const State before = states[at - 1];
    for (int64_t i = at; i < std::min<int64_t>(count, at + Op::kBlock); ++i) states[i] = op.combine(before, states[i]);
  }
}

/// Writes a scanned chunk; `before` (null: none) is what stands before it. Returns the line's state behind it.
template <class Op, class State>
State store_chunk(const Op& op, int64_t base, int64_t step, int64_t begin, int64_t count, const State* states,
                  const State* before) {
  if (!before) {
    for (int64_t i = 0; i < count; ++i) op.store(base + (begin + i) * step, states[i]);
    return states[count - 1];
  }
  const State carry = *before;
  if (step == 1)
    for (int64_t i = 0; i < count; ++i) op.store(base + begin + i, op.combine(carry, states[i]));
  else
    for (int64_t i = 0; i < count; ++i) op.store(base + (begin + i) * step, op.combine(carry, states[i]));
  return op.combine(carry, states[count - 1]);
}

/// Lines along memory.
template <class Op>
struct Rows {
  using State = typename Op::State;
  static constexpr int64_t kChunk = int64_t(Op::kBlock) * kChunkBlocks;
  const Op& op_;
  const ScanShape& s_;
  const int64_t step_ = s_.reverse ? -1 : 1;

  void run() const {
    const int64_t grain = std::max<int64_t>(1, kGrain / s_.length), chunks = (s_.length + kChunk - 1) / kChunk;
    const bool share = s_.outer < 2 * num_threads() && chunks >= 8 && pieces_for(chunks, 2) > 1;
    if (share) {
      for (int64_t row = 0; row < s_.outer; ++row) shared_row(base(row), chunks);
    } else if (Op::kExact || s_.length <= Op::kBlock) {
      parallel_for(0, s_.outer, grain, [&](int64_t first, int64_t last) {
        for (int64_t row = first; row < last; ++row) scan_on(base(row));
      });
    } else {
      parallel_for(0, s_.outer, grain, [&](int64_t first, int64_t last) {
        const Scratch<State> states(std::min(s_.length, kChunk), ordo::cpu);
        for (int64_t row = first; row < last; ++row) long_row(base(row), states);
      });
    }
  }

  int64_t base(int64_t row) const { return row * s_.length + (s_.reverse ? s_.length - 1 : 0); }
  int64_t count(int64_t chunk) const { return std::min(kChunk, s_.length - chunk * kChunk); }

  /// From the first to the last value.
  void scan_on(int64_t base) const {
    const Op op = op_;  // a copy, which no store can change
    const int64_t length = s_.length, step = step_;
    State s = op.load(base, 0);
    op.store(base, s);
    for (int64_t i = 1; i < length; ++i) {
      const State next = op.load(base + i * step, i);
      bool stays = false;
      if constexpr (requires { op.stays(s, next); }) stays = op.stays(s, next);
      if (!stays) s = op.combine(s, next);
      op.store(base + i * step, s);
    }
  }
  void long_row(int64_t base, State* states) const {
    State carry{};
    for (int64_t begin = 0; begin < s_.length; begin += kChunk) {
      const int64_t n = std::min(kChunk, s_.length - begin);
      scan_chunk(op_, base, step_, begin, n, states);
      carry = store_chunk(op_, base, step_, begin, n, states, begin > 0 ? &carry : nullptr);
    }
  }
  /// Threads scan chunks, as many as a cache holds; then what stands before each is known.
  void shared_row(int64_t base, int64_t chunks) const {
    const int64_t at_once = std::min<int64_t>(chunks, 16 * num_threads());
    const Scratch<State> states(at_once * kChunk, ordo::cpu), before(at_once, ordo::cpu);
    State carry{};
    for (int64_t first = 0; first < chunks; first += at_once) {
      const int64_t n = std::min(at_once, chunks - first);
      parallel_for(0, n, 1, [&](int64_t from, int64_t to) {
        for (int64_t c = from; c < to; ++c)
          scan_chunk(op_, base, step_, (first + c) * kChunk, count(first + c), states + c * kChunk);
      });
      for (int64_t c = 0; c < n; ++c) {
        const State end = states[c * kChunk + count(first + c) - 1];
        before[c] = carry;
        carry = first + c > 0 ? op_.combine(carry, end) : end;
      }
      parallel_for(0, n, 1, [&](int64_t from, int64_t to) {
        for (int64_t c = from; c < to; ++c)
          store_chunk(op_, base, step_, (first + c) * kChunk, count(first + c), states + c * kChunk,
                      first + c > 0 ? before + c : nullptr);
      });
    }
  }
};

/// Lines across memory: neighbouring ones at once.
template <class Op>
void columns(const Op& op, const ScanShape& s) {
  using State = typename Op::State;
  constexpr int64_t kMost = 128;
  const int64_t threads = s.outer < num_threads() ? std::min<int64_t>(num_threads(), s.inner / 8) : 1;
  const int64_t tiles = std::max((s.inner + kMost - 1) / kMost, threads);
  parallel_for(0, s.outer * tiles, std::max<int64_t>(1, kGrain * tiles / (s.length * s.inner)),
               [&](int64_t first, int64_t last) {
                 for (int64_t tile = first; tile < last; ++tile) {
                   const int64_t begin = s.inner * (tile % tiles) / tiles,
                                 width = s.inner * (tile % tiles + 1) / tiles - begin;
                   const int64_t base = tile / tiles * s.length * s.inner + begin;
                   State sum[kMost], block[kMost], chunk[kMost], v[kMost];  // of the block, and what stands before it
                   for (int64_t i = 0; i < s.length; ++i) {
                     const int64_t in_block = i % Op::kBlock, in_chunk = i % (int64_t(Op::kBlock) * kChunkBlocks);
                     const int64_t at = base + (s.reverse ? s.length - 1 - i : i) * s.inner;
                     if constexpr (Op::kExact) {
                       for (int64_t j = 0; j < width; ++j) {
                         const State x = op.load(at + j, i);
                         op.store(at + j, sum[j] = i == 0 ? x : op.combine(sum[j], x));
                       }
                       continue;
                     }
                     if (in_block == 0)
                       for (int64_t j = 0; j < width; ++j) sum[j] = op.load(at + j, i);
                     else
                       for (int64_t j = 0; j < width; ++j) sum[j] = op.combine(sum[j], op.load(at + j, i));
                     if (i < Op::kBlock) {
                       for (int64_t j = 0; j < width; ++j) op.store(at + j, sum[j]);
                       if (in_block == Op::kBlock - 1) std::copy_n(sum, width, block);
                       continue;
                     }
                     if (in_chunk < Op::kBlock)
                       std::copy_n(sum, width, v);
                     else
                       for (int64_t j = 0; j < width; ++j) v[j] = op.combine(block[j], sum[j]);
                     if (in_block == Op::kBlock - 1) std::copy_n(v, width, block);
                     if (i >= int64_t(Op::kBlock) * kChunkBlocks)
                       for (int64_t j = 0; j < width; ++j) v[j] = op.combine(chunk[j], v[j]);
                     if (in_chunk == int64_t(Op::kBlock) * kChunkBlocks - 1) std::copy_n(v, width, chunk);
                     for (int64_t j = 0; j < width; ++j) op.store(at + j, v[j]);
                   }
                 }
               });
}

}  // namespace scan_detail

template <class Op>
void scan_lines(const Op& op, const ScanShape& s, Device) {
  if (s.inner == 1)
    scan_detail::Rows<Op>{op, s}.run();
  else
    scan_detail::columns(op, s);
}

}  // namespace ordo::kernels::cpu
