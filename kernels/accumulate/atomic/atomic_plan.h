// How the algorithm `atomic` goes about it on CUDA: a function of the problem's shape alone, never of the device.
// Internal to atomic_cuda.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/engine/run/launch_tuning.h>
#include <ordo/engine/tensor/dtype.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels::cuda {

enum class AtomicForm {
  warp,       // lanes of a warp hold the values of several items, and add up those for the same destination first
  rows,       // lanes hold neighbouring columns; each walks some items and adds up what comes to the same destination
  histogram,  // as warp, but every block has sums of its own in shared memory, which it adds to the output in the end
};

struct AtomicPlan {
  AtomicForm form;
  int vector;     // neighbouring columns that one thread adds together: 1, 2 (halves) or 4 (float)
  int64_t steps;  // items that one thread walks
  int64_t histogram_blocks = 0;
};

/// With more units (of `vector` columns) than this in a row, fewer than four items meet in a warp: walks then find
/// more repeated destinations than lanes do, and cost less. Predicted, not measured (docs/gpu-model.md).
inline constexpr int64_t kMostWarpUnits = 8;
/// Rows that a thread reads at a time, so that their loads wait together.
inline constexpr int kAtomicBatch = 4;
/// Threads that keep the largest GPU's memory busy when each reads a batch at a time. What is beyond them makes threads
/// walk further instead, which saves additions when destinations repeat.
inline constexpr int64_t kWantedThreads = int64_t(1) << 17;
/// A batch takes hardly longer than one row. Beyond the greater number, longer walks save little.
inline constexpr int64_t kLeastSteps = kAtomicBatch, kMostSteps = 32;
/// A block's sums: small enough for six blocks of a multiprocessor.
inline constexpr int64_t kHistogramBytes = 32 * 1024;
/// Values per output element from which private sums pay: at kBlockValues values of each element in a block there are
/// then 128 blocks or more, about one for each multiprocessor of the largest GPU, and adding the blocks' sums costs at
/// most a quarter of what the values would. Predictions (docs/gpu-model.md) have them ahead from 128 values on, but
/// know nothing of multiprocessors without a block.
inline constexpr int64_t kHistogramValues = 512;
inline constexpr int64_t kBlockValues = 4;
/// Of a block at least, however few the elements; and blocks at most, for the sake of the output.
inline constexpr int64_t kLeastBlockValues = 2048;
inline constexpr int64_t kMostHistogramBlocks = 1024;

/// Vectors that additions of T can have: neighbouring elements, and the alignment that they need.
template <class T>
inline constexpr int kAtomicVector = 1;
template <>
inline constexpr int kAtomicVector<float> = 4;
template <>
inline constexpr int kAtomicVector<Half> = 2;
template <>
inline constexpr int kAtomicVector<BFloat16> = 2;

/// Blocks of the form `histogram`.
inline int64_t histogram_blocks(int64_t values, int64_t outputs) {
  const int64_t per_block = std::max(kBlockValues * outputs, ordo::cuda::tuned_size(kLeastBlockValues));
  return std::clamp(values / per_block, int64_t(1), kMostHistogramBlocks);
}

/// For `items` items and an output at `address`. Everything but the vectors follows from the shape.
template <class T>
AtomicPlan plan_atomic(int64_t items, const AccumulateShape& shape, const T* address) {
  using Sum = std::conditional_t<sizeof(T) == 2, float, T>;
  const int64_t rows = items * shape.outer, values = rows * shape.inner;
  const auto steps = [](int64_t units) { return std::clamp(units / kWantedThreads, kLeastSteps, kMostSteps); };

  const int64_t outputs = shape.destinations * shape.columns();
  if (shape.inner <= kMostWarpUnits && outputs <= kHistogramBytes / int64_t(sizeof(Sum)) &&
      values >= ordo::cuda::tuned_size(kHistogramValues) * outputs &&
      values >= ordo::cuda::tuned_size(4 * kLeastBlockValues))
    return {AtomicForm::histogram, 1, steps(values), histogram_blocks(values, outputs)};
  constexpr int kVector = kAtomicVector<T>;
  const bool aligned = reinterpret_cast<uintptr_t>(address) % (kVector * sizeof(T)) == 0;
  const int vector = aligned && shape.inner % kVector == 0 ? kVector : 1;
  const int64_t units = shape.inner / vector;
  return {units <= kMostWarpUnits ? AtomicForm::warp : AtomicForm::rows, vector, steps(rows * units)};
}

}  // namespace ordo::kernels::cuda
