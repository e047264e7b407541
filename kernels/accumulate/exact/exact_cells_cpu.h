// What one thread has added up for the algorithm `exact`: sums of cells, elements of the output. Internal to
// exact_cpu.h.
//
// A double has 29 bits more than a float. While values of similar size are added, no addition has to round, and the
// processor's flag says so for a whole block of them. Where one does, the block is taken back and done again value by
// value: a sum that cannot take a value as it is goes to a list (it is spilled), and the value begins a new sum. So
// nothing is ever lost, whatever the values are; what they are decides how long it takes. Values of very different
// sizes have sums of their own, by windows of exponents.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ordo/engine/half.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/rounding_flag_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Which of its cell's sums a value goes to: that of its exponent. The lowest and the highest window are open.
struct SumWindows {
  int count = 1;
  int base = 1, width = 32;  // exponents
  static constexpr int kMost = 16;

  /// As few as add items like `looks` without spilling much, with so many for each cell.
  static SumWindows for_values_like(std::span<const float> looks, double items_per_cell);
  static SumWindows for_any_values() { return {kMost, 1, 256 / kMost}; }
};

class ExactCells {
 public:
  static constexpr int64_t kBlock = 128;
  /// Values that are added together: floats.
  struct Block {
    size_t count = 0;
    alignas(64) std::array<double, size_t(kBlock)> values;
    alignas(64) std::array<int64_t, size_t(kBlock)> sums;  // to which they go
  };

  /// Sums that could take a value no longer: part of what their cell has.
  struct Spilled {
    int64_t cell;
    double sum;
  };

  /// Starts again with `count` empty cells. More than `most_spilled` sums and they are full. The `hot` cell, if not
  /// negative, has several sums that take turns: one would wait for itself.
  void begin(int64_t count, const SumWindows& windows, int64_t most_spilled, int64_t hot = -1);
  bool is_full() const { return int64_t(spilled_.size()) > most_spilled_; }

  /// Which sum a value goes to. The sums of a window follow those of another.
  class Finder {
   public:
    explicit Finder(const ExactCells& cells)
        : base_(uint32_t(cells.windows_.base)),
          reciprocal_(65536u / uint32_t(cells.windows_.width) + 1),
          most_(uint32_t(cells.windows_.count) - 1),
          stride_(cells.stride_),
          hot_(cells.hot_),
          turns_(cells.count_) {}
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

  /// Adds values to cells, by the thread that makes it. They are all there when it ends.
  class Adder {
   public:
    explicit Adder(ExactCells& cells, bool trusts_flag = RoundingFlag::works());
    Adder(const Adder&) = delete;
    ~Adder() { add_block(); }

    /// Adds v to a cell, at the latest when the Adder ends.
    void add(int64_t cell, float v) {
      block_.values[block_.count] = double(v);
      block_.sums[block_.count] = finder_.sum(cell, finder_.window(v), block_.count);
      if (++block_.count == size_t(kBlock)) add_block();
    }

    /// Adds a whole block now; its sums are sum(k) instead of sums[k].
    template <class Sum>
    void add(const Sum& sum, Block& block) {
      flag_.clear();  // what made the values may have rounded
      for (size_t k = 0; k < size_t(kBlock); ++k) {
        double& to = sums_[sum(k)];
        before_[k] = to;
        to += block.values[k];
      }
      if (trusts_flag_ && !flag_.raised(sums_)) return;
      for (size_t k = 0; k < size_t(kBlock); ++k) block.sums[k] = sum(k);
      block.count = size_t(kBlock);
      add_carefully(block);
    }
    bool sums_are_cells() const { return cells_.windows_.count == 1 && cells_.hot_ < 0; }
    const Finder& finder() const { return finder_; }

    /// Whether sums are worth fetching some time before they are added to.
    bool fetches() const { return fetches_; }
    void fetch(int64_t sum) const { __builtin_prefetch(sums_ + sum, 1); }

   private:
    void add_block();
    /// Takes a block back, and adds it again.
    void add_carefully(const Block& block);

    ExactCells& cells_;
    double* sums_;
    Finder finder_;
    bool trusts_flag_, fetches_;
    RoundingFlag flag_;
    Block block_;
    alignas(64) std::array<double, size_t(kBlock)> before_;
  };

  /// All that was spilled, ordered by cells.
  static std::vector<Spilled> spilled(std::span<const ExactCells> all);

  /// Adds what all of them have for the cells [first, last) to output(c), the elements of these.
  template <class T, class Output>
  static void finish(std::span<const ExactCells> all, std::span<const Spilled> spilled, int64_t first, int64_t last,
                     const Output& output);

 private:
  static constexpr int64_t kTurns = 8;  // sums of the hot cell, behind those of the cells
  // Windows of a cell do not fall into one set of a cache, whatever the number of cells.
  static constexpr int64_t kPadding = 72;

  const double* window(int w) const { return *memory_ + w * stride_; }

  /// Whether what all of them have for a cell rounds where it is added up, window by window.
  static bool sum_rounds(std::span<const ExactCells> all, int64_t cell);

  SumWindows windows_;
  int64_t count_ = 0, stride_ = 0, most_spilled_ = 0, hot_ = -1, capacity_ = 0;
  std::unique_ptr<Scratch<double>> memory_;  // [window][cell]
  std::vector<Spilled> spilled_;
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

/// ExactCells::finish. Compiled once, in exact_cells_cpu.cpp, for the element types that are accumulated exactly.
template <class T, bool kSingle>
void finish_cells(std::span<const ExactCells> all, std::span<const ExactCells::Spilled> spilled, int64_t first,
                  int64_t last, const CellsOutput<T, kSingle>& output);

}  // namespace ordo::kernels::cpu::accumulate_detail
