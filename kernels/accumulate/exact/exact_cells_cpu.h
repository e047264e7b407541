// What one thread has added up for the algorithm `exact`: sums of cells, elements of the output. Internal to
// exact_cpu.h.
//
// A double has 29 bits more than a float. While values of similar size are added, no addition has to round, and the
// processor's flag says so for a whole block of them. Where one does, the block is taken back and done again value by
// value: a sum that cannot take a value as it is goes to a list (it is spilled), and the value begins a new sum. So
// nothing is ever lost, whatever the values are; what they are decides how long it takes. Values of very different
// sizes have sums of their own, by windows of exponents.
#pragma once

#include <array>
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
};

class ExactCells {
 public:
  static constexpr int64_t kBlock = 128;
  using Values = std::array<double, kBlock>;  // floats

  /// Sums that could take a value no longer: part of what their cell has.
  struct Spilled {
    int64_t cell;
    double sum;
  };

  explicit ExactCells(const SumWindows& windows) : windows_(windows) {}

  /// Starts again with `count` cells, which are to be cleared. They are full when more is spilled than there should be
  /// for so many items.
  void begin(int64_t count, int64_t items);
  /// The same with windows for all exponents. They are never full.
  void begin_for_any_values(int64_t count);
  void clear();
  bool is_full() const { return spilled_.size() > most_spilled_; }

  /// Adds values to cells, by the thread that makes it. They are all there when it ends.
  class Adder {
   public:
    struct Block {
      int64_t count = 0;
      alignas(64) std::array<int64_t, kBlock> cells;
      alignas(64) Values values;
    };
    explicit Adder(ExactCells& cells, bool trusts_flag = RoundingFlag::works());
    Adder(const Adder&) = delete;
    ~Adder() {
      add();
      add_block(blocks_[now_ ^ 1]);
    }

    /// The next block, to be filled, and then added.
    Block& block() { return blocks_[now_]; }
    void add();

    /// Where cells have one sum, whole blocks need no copy of the cells: values[k] goes to cell(k).
    bool has_one_sum() const { return cells_.windows_.count == 1; }
    template <class Cell>
    void add(const Cell& cell, const Values& values) {
      flag_.clear();  // what made the values may have rounded
      for (int64_t k = 0; k < kBlock; ++k) {
        double& sum = sums_[cell(k)];
        before_[size_t(k)] = sum;
        sum += values[size_t(k)];
      }
      if (trusts_flag_ && !flag_.raised(sums_)) return;
      Block& block = blocks_[now_];
      for (int64_t k = 0; k < kBlock; ++k) block.cells[size_t(k)] = cell(k);
      block.values = values;
      block.count = kBlock;
      add_carefully(block);
    }
    /// Whether a cell is worth fetching some time before it is added to.
    bool fetches() const { return fetches_; }
    void fetch(int64_t cell) const { __builtin_prefetch(sums_ + cell, 1); }

   private:
    void find_sums(Block& block) const;
    void add_block(Block& block);
    void add_carefully(Block& block);

    ExactCells& cells_;
    double* sums_;
    bool trusts_flag_, fetches_;
    RoundingFlag flag_;
    size_t now_ = 0;
    std::array<Block, 2> blocks_;
    alignas(64) Values before_;
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

  void allocate(int64_t count);
  /// Whether what all of them have for a cell rounds where it is added up, window by window.
  static bool sum_rounds(std::span<const ExactCells> all, int64_t cell);

  SumWindows windows_;
  int64_t stride_ = 0, count_ = 0;
  size_t most_spilled_ = 0;
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
