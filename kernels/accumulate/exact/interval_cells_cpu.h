// Bounds of what one thread has added up for the algorithm `exact`. Internal to exact_cpu.h.
//
// Every cell, an element of the output, has two sums of the same doubles: one rounds down wherever it must, the other
// one up. The true sum lies between them. Where both round to the same element, so does the true sum; for the few other
// cells it is found by other means. Values of any size may meet in a cell, and none has to be looked at.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/exact/rounding_mode_cpu.h>
#include <ordo/kernels/accumulate/exact/value_block_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

class IntervalCells {
 public:
  /// A sum rounded down, and minus the same sum rounded up: both are added to while the processor rounds down.
  struct alignas(2 * sizeof(double)) Bounds {
    double low, minus_high;
    static Bounds of(double v) { return {v, -v}; }
    Bounds& operator+=(const Bounds& other) {
#if defined(__CUDACC__)  // loses the attribute; for tests in .cu files, which compare bytes
      low += other.low;
      minus_high += other.minus_high;
#else
      using Both [[gnu::vector_size(2 * sizeof(double))]] = double;  // one addition
      *this = std::bit_cast<Bounds>(std::bit_cast<Both>(*this) + std::bit_cast<Both>(other));
#endif
      return *this;
    }
  };
  /// A cell takes as much memory as so many windows of ExactCells.
  static constexpr int kWindows = 2;

  /// Whether bounds of items like `looks`, so many for each cell, tell what their sums round to as T.
  template <class T>
  static bool suit_values_like(std::span<const float> looks, double items_per_cell);

  /// Starts again with `count` empty cells. The `hot` cell: see SumFinder.
  void begin(int64_t count, int64_t hot = -1);
  static constexpr bool is_full() { return false; }

  /// Adds values to cells, by the thread that makes it. They are all there when it ends.
  class Adder {
   public:
    explicit Adder(IntervalCells& cells);
    Adder(const Adder&) = delete;
    ~Adder() { add_block(); }

    /// Adds v to a cell, at the latest when the Adder ends.
    void add(int64_t cell, float v) {
      block_.values[block_.count] = double(v);
      block_.sums[block_.count] = finder_.sum(cell, 0, block_.count);
      if (++block_.count == ValueBlock::kSize) add_block();
    }
    /// Adds a whole block now; its sums are sum(k) instead of sums[k].
    template <class Sum>
    void add(const Sum& sum, const ValueBlock& block) {
      Bounds* const sums = sums_;
      const RoundsDown down(sums);
      for (size_t k = 0; k < ValueBlock::kSize; ++k) sums[sum(k)] += Bounds::of(block.values[k]);
    }
    const SumFinder& finder() const { return finder_; }

    /// Whether sums are worth fetching some time before they are added to.
    bool fetches() const { return fetches_; }
    void fetch(int64_t sum) const { __builtin_prefetch(sums_ + sum, 1); }

   private:
    void add_block();

    Bounds* sums_;
    SumFinder finder_;
    bool fetches_;
    ValueBlock block_;
  };

 private:
  template <class T>
  friend std::vector<int64_t> finish_intervals(std::span<IntervalCells>, int64_t, int64_t, const CellsOutput<T, true>&);
  template <class T>
  friend void undo_intervals(std::span<const IntervalCells>, int64_t, int64_t, const CellsOutput<T, true>&);

  int64_t count_ = 0, hot_ = -1, capacity_ = 0;
  std::unique_ptr<Scratch<Bounds>> memory_;  // [cell], [turn of the hot cell]
};

/// Adds what all of them have for the cells [first, last) to output(c), the elements of these, but for those cells of
/// which the result is not sure: these are returned. What was there before is kept in the cells.
template <class T>
std::vector<int64_t> finish_intervals(std::span<IntervalCells> all, int64_t first, int64_t last,
                                      const CellsOutput<T, true>& output);

/// Gives the elements what they were before finish_intervals.
template <class T>
void undo_intervals(std::span<const IntervalCells> all, int64_t first, int64_t last,
                    const CellsOutput<T, true>& output);

}  // namespace ordo::kernels::cpu::accumulate_detail
