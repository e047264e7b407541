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
#include <ordo/kernels/accumulate/exact/value_block_cpu.h>

namespace ordo::kernels::cpu::accumulate_detail {

class ExactCells {
 public:
  /// Sums that could take a value no longer: part of what their cell has.
  struct Spilled {
    int64_t cell;
    double sum;
  };

  /// Starts again with `count` empty cells. More than `most_spilled` sums and they are full. The `hot` cell:
  /// see SumFinder.
  void begin(int64_t count, const SumWindows& windows, int64_t most_spilled, int64_t hot = -1);
  bool is_full() const { return int64_t(spilled_.size()) > most_spilled_; }

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
      if (++block_.count == ValueBlock::kSize) add_block();
    }

    /// Adds a whole block now; its sums are sum(k) instead of sums[k].
    template <class Sum>
    void add(const Sum& sum, ValueBlock& block) {
      flag_.clear();  // what made the values may have rounded
      for (size_t k = 0; k < ValueBlock::kSize; ++k) {
        double& to = sums_[sum(k)];
        before_[k] = to;
        to += block.values[k];
      }
      if (trusts_flag_ && !flag_.raised(sums_)) return;
      for (size_t k = 0; k < ValueBlock::kSize; ++k) block.sums[k] = sum(k);
      block.count = ValueBlock::kSize;
      add_carefully(block);
    }
    const SumFinder& finder() const { return finder_; }

    /// Whether sums are worth fetching some time before they are added to.
    bool fetches() const { return fetches_; }
    void fetch(int64_t sum) const { __builtin_prefetch(sums_ + sum, 1); }

   private:
    void add_block();
    /// Takes a block back, and adds it again.
    void add_carefully(const ValueBlock& block);

    ExactCells& cells_;
    double* sums_;
    SumFinder finder_;
    bool trusts_flag_, fetches_;
    RoundingFlag flag_;
    ValueBlock block_;
    alignas(64) std::array<double, ValueBlock::kSize> before_;
  };

  /// All that was spilled, ordered by cells.
  static std::vector<Spilled> spilled(std::span<const ExactCells> all);

  /// Adds what all of them have for the cells [first, last) to output(c), the elements of these.
  template <class T, class Output>
  static void finish(std::span<const ExactCells> all, std::span<const Spilled> spilled, int64_t first, int64_t last,
                     const Output& output);

 private:
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

/// ExactCells::finish. Compiled once, in exact_cells_cpu.cpp, for the element types that are accumulated exactly.
template <class T, bool kSingle>
void finish_cells(std::span<const ExactCells> all, std::span<const ExactCells::Spilled> spilled, int64_t first,
                  int64_t last, const CellsOutput<T, kSingle>& output);

}  // namespace ordo::kernels::cpu::accumulate_detail
