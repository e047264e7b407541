// Scans on CUDA: rule 6 of docs/ordering.md. Internal.
#pragma once

#include <algorithm>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/scan/scan.h>

#define ORDO_LOOPS_DEVICE cuda

namespace ordo::kernels::cuda {
namespace scan_detail {

/// Chunk c of line (o, i) has the number (o * chunks + c) * inner + i.
struct ScanPlan {
  int64_t chunk, chunks;  // values of a chunk, chunks of a line
  int groups;             // blocks of values in a chunk
  int units;              // chunks that a CUDA block has at once
};

template <class Op>
ScanPlan scan_plan(const ScanShape& s) {
  const int64_t chunk = std::min(s.length, int64_t(Op::kBlock) * kChunkBlocks);
  const int groups = int((chunk + Op::kBlock - 1) / Op::kBlock);
  return {chunk, (s.length + chunk - 1) / chunk, groups, kChunkBlocks / groups};
}

/// Lines along memory. A CUDA block reads chunks side by side; a thread scans each block of values, and adds up what
/// stands before it in the chunk. With `totals`, only chunks' totals are written; `before`, where there is one, is what
/// stands before each chunk.
template <class Op>
__global__ void scan_rows_kernel(Op op, ScanShape s, ScanPlan p, const typename Op::State* before,
                                 typename Op::State* totals) {
  using State = typename Op::State;
  ORDO_SHARED(State, tile, [kChunkBlocks][Op::kBlock + 1]);
  ORDO_SHARED(State, ends, [kChunkBlocks]);
  ORDO_SHARED(State, carries, [kChunkBlocks]);
  const int64_t all = s.outer * p.chunks;
  for (int64_t first = int64_t(blockIdx.x) * p.units; first < all; first += int64_t(gridDim.x) * p.units) {
    const int64_t line = first / p.chunks, chunk = first % p.chunks, begin = chunk * p.chunk;
    const int units = all - first < p.units ? int(all - first) : p.units;
    const int length = s.length - begin < p.chunk ? int(s.length - begin) : int(p.chunk);
    for (int e = int(threadIdx.x); e < units * length; e += int(blockDim.x)) {
      const int unit = e / length, i = e % length;
      const int64_t at = (line + unit) * s.length + (s.reverse ? s.length - 1 - begin - i : begin + i);
      tile[unit * p.groups + i / Op::kBlock][i % Op::kBlock] = op.load(at, begin + i);
    }
    __syncthreads();
    const int strand = int(threadIdx.x), group = strand % p.groups;
    const int left = length - group * Op::kBlock, count = left < Op::kBlock ? left : Op::kBlock;
    const bool scans = strand < units * p.groups && count > 0;
    if (scans) {
      State sum = tile[strand][0];
      for (int i = 1; i < count; ++i) tile[strand][i] = sum = op.combine(sum, tile[strand][i]);
      ends[strand] = sum;
    }
    __syncthreads();
    if (scans && group > 0) {
      State carry = ends[strand - group];
      for (int g = 1; g < group; ++g) carry = op.combine(carry, ends[strand - group + g]);
      carries[strand] = carry;
    }
    if (totals) {
      if (scans && left <= Op::kBlock)
        totals[first + strand / p.groups] = group > 0 ? op.combine(carries[strand], ends[strand]) : ends[strand];
    } else {
      __syncthreads();
      for (int e = int(threadIdx.x); e < units * length; e += int(blockDim.x)) {
        const int unit = e / length, i = e % length, from = unit * p.groups + i / Op::kBlock;
        const int64_t at = (line + unit) * s.length + (s.reverse ? s.length - 1 - begin - i : begin + i);
        State v = tile[from][i % Op::kBlock];
        if (i >= Op::kBlock) v = op.combine(carries[from], v);
        if (chunk > 0) v = op.combine(before[first], v);
        op.store(at, v);
      }
    }
    __syncthreads();
  }
}

/// Lines across memory: a thread for a chunk.
template <class Op>
__global__ void scan_columns_kernel(Op op, ScanShape s, ScanPlan p, const typename Op::State* before,
                                    typename Op::State* totals) {
  using State = typename Op::State;
  const int64_t all = s.outer * p.chunks * s.inner;
  ORDO_NO_UNROLL
  for (int64_t unit = ordo::cuda::thread_index(); unit < all; unit += ordo::cuda::thread_count()) {
    const int64_t column = unit % s.inner, chunk = unit / s.inner % p.chunks, o = unit / s.inner / p.chunks;
    const int64_t begin = chunk * p.chunk, left = s.length - begin;
    const int count = left < p.chunk ? int(left) : int(p.chunk);
    const int64_t step = s.reverse ? -s.inner : s.inner;
    int64_t at = (o * s.length + (s.reverse ? s.length - 1 - begin : begin)) * s.inner + column;
    State sum{}, block{}, v{};
    ORDO_NO_UNROLL
    for (int i = 0; i < count; ++i, at += step) {
      const State x = op.load(at, begin + i);
      if (i % Op::kBlock == 0) {
        block = v;
        sum = x;
      } else {
        sum = op.combine(sum, x);
      }
      v = i < Op::kBlock ? sum : op.combine(block, sum);
      if (!totals) op.store(at, chunk > 0 ? op.combine(before[unit], v) : v);
    }
    if (totals) totals[unit] = v;
  }
}

/// Turns the totals of chunks into what stands before each: a block for a line. It brings many totals to shared memory,
/// where one thread combines them in order: from there each takes a few clocks, and from memory hundreds.
template <class Op>
__global__ void scan_carries_kernel(Op op, ScanShape s, ScanPlan p, typename Op::State* totals) {
  using State = typename Op::State;
  constexpr int kTotals = 1024;
  ORDO_SHARED(State, tile, [kTotals]);
  for (int64_t line = blockIdx.x; line < s.outer * s.inner; line += gridDim.x) {
    State* const at = totals + line / s.inner * p.chunks * s.inner + line % s.inner;
    State carry{};
    for (int64_t first = 0; first < p.chunks; first += kTotals) {
      const int n = p.chunks - first < kTotals ? int(p.chunks - first) : kTotals;
      for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) tile[i] = at[(first + i) * s.inner];
      __syncthreads();
      if (threadIdx.x == 0) {
        for (int i = 0; i < n; ++i) {
          const State total = tile[i];
          tile[i] = carry;
          carry = first + i == 0 ? total : op.combine(carry, total);
        }
      }
      __syncthreads();
      for (int i = int(threadIdx.x); i < n; i += int(blockDim.x)) at[(first + i) * s.inner] = tile[i];
      __syncthreads();
    }
  }
}

}  // namespace scan_detail

template <class Op>
void scan_lines(const Op& op, const ScanShape& s, Device device) {
  using namespace scan_detail;
  using State = typename Op::State;
  const ordo::cuda::DeviceScope scope(device);
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const ScanPlan p = scan_plan<Op>(s);
  const auto pass = [&](const State* before, State* totals) {
    if (s.inner == 1)
      ordo::cuda::launch(scan_rows_kernel<Op>, ordo::cuda::grid_for(s.outer * p.chunks, p.units), dim3(128), 0, stream,
                         op, s, p, before, totals);
    else
      ordo::cuda::launch_over(scan_columns_kernel<Op>, s.outer * p.chunks * s.inner, stream, op, s, p, before, totals);
  };
  if (p.chunks == 1) return pass(nullptr, nullptr);
  const Scratch<State> totals(s.outer * p.chunks * s.inner, device);
  pass(nullptr, totals);
  ordo::cuda::launch(scan_carries_kernel<Op>, ordo::cuda::grid_for(s.outer * s.inner, 1), dim3(128), 0, stream, op, s,
                     p, totals.data());
  pass(totals, nullptr);
}

}  // namespace ordo::kernels::cuda
