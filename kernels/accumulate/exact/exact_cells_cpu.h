// What one thread has added up for the algorithm `exact`: the windows (exact.h) of a number of cells, elements of the
// output. Internal to exact_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include <ordo/engine/half.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Nearly all values go to the main window; the memory of the others is taken when a value comes.
class ExactCells {
 public:
  ExactCells(const ExactWindows& windows, int main, int64_t most)
      : windows_(windows), main_(main), base_(windows.base(main)), lowest_(main), highest_(main), most_(most) {}

  /// Starts again with `count` empty cells, at most `most`.
  void begin(int64_t count) {
    count_ = count;
    for (auto& window : sums_)
      if (window) std::fill_n(window->data(), count, 0);
    make(main_);
  }

  /// Of the main window.
  int64_t bytes() const { return count_ * int64_t(sizeof(int64_t)); }

  /// What a loop over values needs, apart from the rest so that it stays in registers.
  class Adder {
   public:
    explicit Adder(ExactCells& cells)
        : sums_(cells.window(cells.main_)),
          scale_(exact_detail::power_of_two(150 - cells.base_)),
          lowest_(uint32_t(std::max(cells.base_, 0)) << 24),
          span_((uint32_t(cells.base_ + cells.windows_.width) << 24) - lowest_),
          reach_((uint32_t(std::min(cells.base_ + int(kExactReach) + 1, kExactNotFinite)) << 24) - lowest_) {}
    void operator()(int64_t cell, int64_t addend) const { sums_[cell] += addend; }
    /// `cell` may be any number.
    void prefetch(int64_t cell) const { __builtin_prefetch(sums_ + cell, 1); }
    /// Whether v does not belong to the main window, 1 or 0. Zero belongs to every one. No branch: zeros often come
    /// mixed with other values.
    uint32_t is_elsewhere(float v) const { return is_beyond(v, span_); }
    /// Whether the main window can take v, a single value besides those of the items.
    bool can_add(float v) const { return is_beyond(v, reach_) == 0; }
    int64_t addend(float v) const { return int64_t(double(v) * scale_); }

   private:
    uint32_t is_beyond(float v, uint32_t span) const {
      const uint32_t magnitude = ordo::detail::float_bits(v) << 1;
      const uint32_t all_if_any = uint32_t(0) - uint32_t(magnitude != 0);
      return uint32_t(((magnitude - lowest_) & all_if_any) >= span);
    }

    int64_t* sums_;
    double scale_;
    uint32_t lowest_, span_, reach_;  // of floats shifted by their sign: the exponent is the highest byte
  };

  /// The sums in window w, or null when nothing was added there.
  int64_t* window(int w) const { return sums_[size_t(w)] ? sums_[size_t(w)]->data() : nullptr; }

  /// The window w of these cells, made when it is missing.
  int64_t* make(int w) {
    auto& window = sums_[size_t(w)];
    if (!window) {
      window = std::make_unique<Scratch<int64_t>>(most_, Device());
      std::fill_n(window->data(), count_, 0);
      if (w != windows_.infinities()) {
        lowest_ = std::min(lowest_, w);
        highest_ = std::max(highest_, w);
      }
    }
    return *window;
  }

  /// Adds any value to the window that it belongs to.
  [[gnu::noinline]] void add(int64_t cell, float v) {
    const int exponent = exact_exponent(v);
    if (exponent == kExactNotFinite) {
      int64_t& count = make(windows_.infinities())[cell];
      count = int64_t(uint64_t(count) + uint64_t(exact_not_finite(v)));
    } else {
      const int w = windows_.of(exponent);
      make(w)[cell] += exact_addend(v, windows_.base(w));
    }
  }

  /// Adds the sums of others' cells [first, last). These cells have all windows that the others have.
  void add(const ExactCells& others, int64_t first, int64_t last) {
    for (int w = 0; w < ExactWindows::kMost; ++w) {
      const int64_t* const from = others.window(w);
      int64_t* const to = window(w);
      if (!from) continue;
      for (int64_t c = first; c < last; ++c) to[c] = int64_t(uint64_t(to[c]) + uint64_t(from[c]));
    }
  }

  /// Adds the sums to output(c), the elements of the cells [first, last).
  template <class T, class Output>
  void finish(int64_t first, int64_t last, const Output& output) {
    const Adder adder(*this);
    const int64_t* const main = window(main_);
    const int quantum = base_ - 150;
    std::array<const int64_t*, ExactWindows::kMost> others;
    int count = 0;
    for (int w = 0; w < ExactWindows::kMost; ++w)
      if (w != main_ && window(w)) others[size_t(count++)] = window(w);
    const bool normal = quantum >= -126;
    const double power = exact_detail::power_of_two(quantum);
    // Blocks of ordinary cells go through loops without branches; the results of others are put in afterwards.
    constexpr int64_t kBlock = 64;
    std::array<std::pair<int64_t, T>, kBlock> rare;
    for (int64_t begin = first; begin < last; begin += kBlock) {
      const int64_t end = std::min(last, begin + kBlock);
      int64_t any = 0;
      for (int k = 0; k < count; ++k)
        for (int64_t c = begin; c < end; ++c) any |= others[size_t(k)][c];
      for (int64_t c = begin; c < end; ++c) any |= int64_t(!adder.can_add(float(output(c))));
      size_t rare_count = 0;
      for (int64_t c = begin; any != 0 && c < end; ++c) {
        int64_t elsewhere = !adder.can_add(float(output(c)));
        for (int k = 0; k < count; ++k) elsewhere |= others[size_t(k)][c];
        if (elsewhere != 0) rare[rare_count++] = {c, result(c, T(output(c)))};
      }
      if (normal) {
        for (int64_t c = begin; c < end; ++c) {
          const float old = output(c), before = adder.can_add(old) ? old : 0;
          const float sum = exact_detail::round_normal<T>(main[c] + adder.addend(before), power);
          output(c) = T(main[c] == 0 ? before : sum);
        }
      } else {
        for (int64_t c = begin; c < end; ++c)
          if (const float old = output(c); main[c] != 0 && adder.can_add(old))
            output(c) = exact_detail::round_once<T>(main[c] + adder.addend(old), quantum);
      }
      for (size_t r = 0; r < rare_count; ++r) output(rare[r].first) = rare[r].second;
    }
  }

 private:
  // Of any cell.
  template <class T>
  T result(int64_t c, T old) const {
    const auto sum = [&](int w) { return window(w) ? window(w)[c] : 0; };
    const int infinities = windows_.infinities();
    if (sum(infinities) != 0 || exact_exponent(float(old)) == kExactNotFinite)
      return exact_not_finite_result(old, sum(infinities));
    int lowest = lowest_, highest = highest_;
    while (highest > lowest && sum(highest) == 0) --highest;
    while (lowest < highest && sum(lowest) == 0) ++lowest;
    return exact_result(old, windows_, lowest, highest, sum);
  }

  ExactWindows windows_;
  int main_, base_;
  int lowest_, highest_;  // of the windows of finite values
  int64_t most_, count_ = 0;
  std::array<std::unique_ptr<Scratch<int64_t>>, ExactWindows::kMost> sums_;
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

/// cells.finish(). Compiled once, in exact_cells_cpu.cpp, for the element types that are accumulated exactly.
template <class T, bool kSingle>
void finish_cells(ExactCells& cells, int64_t first, int64_t last, const CellsOutput<T, kSingle>& output);

}  // namespace ordo::kernels::cpu::accumulate_detail
