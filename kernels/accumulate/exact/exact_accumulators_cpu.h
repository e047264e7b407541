// What one thread has added up for the algorithm `exact`: an accumulator of some levels (exact_levels.h) for each element
// of the output. Internal to exact_cpu.h.
//
// Values are added in blocks. All values of a block are added to level 0 of their accumulators. One loop, which
// vectorises, then finds what each of these additions rounded away: nothing, as a rule, because a double has 29 bits
// more than a float. What is not zero makes the block that is added to the next level.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact_levels.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Values, and the sums to which they go.
struct ValueBlock {
  static constexpr size_t kSize = 128;
  using Floats = std::array<float, kSize>;
  using Doubles = std::array<double, kSize>;
  size_t count = 0;
  alignas(64) Doubles values;
  alignas(64) std::array<int64_t, kSize> sums;
};

/// Where the sums of accumulators go: those of destinations from `base` on, of all columns or of the single one.
template <class T, bool kSingle>
struct ExactOutput {
  T* output;
  AccumulateShape shape;
  int64_t base;
  T& operator()(int64_t accumulator) const {
    if constexpr (kSingle) return output[base + accumulator];
    const int64_t columns = shape.columns(), column = accumulator % columns;
    return output[shape.offset(base + accumulator / columns, column / shape.inner, column % shape.inner)];
  }
};

/// What a + b rounds away, by a loop's means: without branches (Knuth, "The art of computer programming", volume 2,
/// 4.2.2, theorem B). A NaN where the sum is not finite.
inline double lost_in(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

class ExactAccumulators {
 public:
  /// Starts again with `count` empty accumulators. Number `hot`, if not negative, gets many of the values: these go to
  /// several sums in turn, because each addition to one sum waits for the one before.
  void begin(int64_t count, int64_t hot = -1);

  /// Adds values to accumulators, by one thread. They are all there after end().
  class Adder {
   public:
    explicit Adder(ExactAccumulators& accumulators);

    /// Adds v to an accumulator, at the latest in end().
    void add(int64_t accumulator, float v) {
      block_.values[block_.count] = double(v);
      block_.sums[block_.count] = sum(accumulator, block_.count);
      if (++block_.count == ValueBlock::kSize) add_block();
    }
    /// Adds a full block now; its sums are sum(k), not block.sums[k].
    template <class Sum>
    void add(const Sum& sum, ValueBlock& block) {
      alignas(64) ValueBlock::Doubles before;
      if (level1_ == nullptr) {
        for (size_t k = 0; k < ValueBlock::kSize; ++k) {
          double& to = level0_[sum(k)];
          before[k] = to;
          to += block.values[k];
        }
      } else {  // many additions round: what each one loses is added right away
        for (size_t k = 0; k < ValueBlock::kSize; ++k) {
          const int64_t at = sum(k);
          const double there = level0_[at], v = block.values[k];
          level0_[at] = there + v;
          before[k] = level1_[at];
          block.values[k] = lost_in(there, v);
          level1_[at] = before[k] + block.values[k];
        }
      }
      if (!any_lost(before, block.values)) return;
      for (size_t k = 0; k < ValueBlock::kSize; ++k) block.sums[k] = sum(k);
      block.count = ValueBlock::kSize;
      add_lost(before, block);
    }
    void end();

    /// To which value `turn` of a block goes.
    int64_t sum(int64_t accumulator, size_t turn) const {
      return accumulator == hot_ ? turns_ + int64_t(turn % size_t(kTurns)) : accumulator;
    }
    bool has_hot() const { return hot_ >= 0; }
    /// Whether sums are worth fetching some time before they are added to.
    bool fetches() const { return fetches_; }
    void fetch(int64_t sum) const {
      __builtin_prefetch(level0_ + sum, 1);
      if (level1_ != nullptr) __builtin_prefetch(level1_ + sum, 1);
    }

   private:
    void add_block();
    void add_lost(const ValueBlock::Doubles& before, const ValueBlock& block);

    ExactAccumulators& accumulators_;
    double* level0_;
    double* level1_ = nullptr;  // not before many additions have rounded
    int64_t hot_, turns_;
    bool fetches_;
    ValueBlock block_;
  };

  /// The levels in use of all of them, each with a sum for every accumulator.
  static std::vector<const double*> levels(std::span<const ExactAccumulators> all);
  /// Adds what all of them, whose levels these are, have in the accumulators [first, last) to output(c), the elements
  /// of these. Needs no memory. Compiled for the element types that are accumulated exactly.
  template <class T, bool kSingle>
  static void finish(std::span<const ExactAccumulators> all, std::span<const double* const> levels, int64_t first,
                     int64_t last, const ExactOutput<T, kSingle>& output);

 private:
  static constexpr int64_t kTurns = 8;  // sums of the hot accumulator, behind those of all

  /// Whether one of the additions before[k] + values[k] rounds.
  static bool any_lost(const ValueBlock::Doubles& before, const ValueBlock::Doubles& values) {
    uint64_t any = 0;
    for (size_t k = 0; k < ValueBlock::kSize; ++k) any |= std::bit_cast<uint64_t>(lost_in(before[k], values[k]));
    return any << 1 != 0;  // the sign of a zero does not count
  }

  /// The sums of a level, which begin as zeros.
  double* level(int k);
  void add(int level, const ValueBlock& block);
  void add(int level, int64_t sum, double v);
  /// Adds what additions of a block to a level have rounded away to the next one. Returns how many have.
  size_t add_lost(int level, const ValueBlock::Doubles& before, const ValueBlock& block);

  template <class T>
  static T result(std::span<const ExactAccumulators> all, int64_t accumulator, T old);

  struct Level {
    std::unique_ptr<Scratch<double>> sums;
    int64_t capacity = 0;
  };
  std::array<Level, kMostExactLevels> levels_;
  int used_ = 0;  // levels
  int64_t count_ = 0, hot_ = -1;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
