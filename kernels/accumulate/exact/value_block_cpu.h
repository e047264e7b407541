// Values on their way to the sums of cells, elements of the output, for the algorithm `exact`. Internal to
// exact_cells_cpu.h and interval_cells_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ordo/engine/half.h>
#include <ordo/kernels/accumulate/accumulate.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Values that are added together: floats.
struct ValueBlock {
  static constexpr size_t kSize = 128;
  using Floats = std::array<float, kSize>;
  size_t count = 0;
  alignas(64) std::array<double, kSize> values;
  alignas(64) std::array<int64_t, kSize> sums;  // to which they go
};

/// Which of its cell's sums a value goes to: that of its exponent. The lowest and the highest window are open.
struct SumWindows {
  int count = 1;
  int base = 1, width = 32;  // exponents
  static constexpr int kMost = 16;

  /// As few as add items like `looks` without spilling much, with so many for each cell.
  static SumWindows for_values_like(std::span<const float> looks, double items_per_cell);
  static SumWindows for_any_values() { return {kMost, 1, 256 / kMost}; }
};

/// Which sum a value goes to: the sums of a window follow those of another, `stride` further. The `hot` cell, if not
/// negative, has kTurns sums behind those of the cells, which take turns: one would wait for itself.
class SumFinder {
 public:
  static constexpr int64_t kTurns = 8;

  SumFinder(const SumWindows& windows, int64_t cells, int64_t stride, int64_t hot)
      : base_(uint32_t(windows.base)),
        reciprocal_(65536u / uint32_t(windows.width) + 1),
        most_(uint32_t(windows.count) - 1),
        stride_(stride),
        hot_(hot),
        turns_(cells) {}
  /// Whether a cell's number is that of its only sum.
  bool sums_are_cells() const { return most_ == 0 && hot_ < 0; }
  uint32_t window(float v) const {
    const uint32_t exponent = std::max(ordo::detail::float_bits(v) << 1 >> 24, base_);
    // The quotient by the width, exactly: neither is more than 254.
    return std::min((exponent - base_) * reciprocal_ >> 16, most_);
  }
  /// Of a cell and a window; of the hot cell, that whose turn it is.
  int64_t sum(int64_t cell, uint32_t window, size_t turn) const {
    return (cell == hot_ ? turns_ + int64_t(turn % size_t(kTurns)) : cell) + int64_t(window) * stride_;
  }

 private:
  uint32_t base_, reciprocal_, most_;
  int64_t stride_, hot_, turns_;
};

/// Where the sums of cells go: those of destinations from `base` on, of all columns or of the single one.
template <class T, bool kSingle>
struct CellsOutput {
  T* output;
  AccumulateShape shape;
  int64_t base;
  T& operator()(int64_t cell) const {
    if constexpr (kSingle) return output[base + cell];
    const int64_t columns = shape.columns(), column = cell % columns;
    return output[shape.offset(base + cell / columns, column / shape.inner, column % shape.inner)];
  }
};

}  // namespace ordo::kernels::cpu::accumulate_detail
