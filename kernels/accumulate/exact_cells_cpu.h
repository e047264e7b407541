// What one thread has added up for the algorithm `exact`: the windows (exact.h) of a number of cells, elements of the
// output. Internal to exact_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <ordo/engine/half.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/exact.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// Nearly all values go to the main window; the memory of the others is taken when a value comes.
class ExactCells {
 public:
  ExactCells(const ExactWindows& windows, int main, int64_t most)
      : windows_(windows), main_(main), base_(windows.base(main)), most_(most) {}

  /// Starts again with `count` empty cells, at most `most`.
  void begin(int64_t count) {
    count_ = count;
    for (auto& window : sums_)
      if (window) std::fill_n(window->data(), count, 0);
    make(main_);
  }

  /// What a loop over values needs, apart from the rest so that it stays in registers.
  class Adder {
   public:
    explicit Adder(ExactCells& cells)
        : cells_(cells),
          sums_(cells.window(cells.main_)),
          scale_(exact_detail::power_of_two(150 - cells.base_)),
          first_(cells.base_),
          width_(cells.windows_.width) {}
    void operator()(int64_t cell, float v) const {
      if (in_main(v)) [[likely]]
        sums_[cell] += addend(v);
      else
        cells_.add_elsewhere(cell, v);
    }
    /// Zero belongs to every window. No branch.
    bool in_main(float v) const {
      const uint32_t bits = ordo::detail::float_bits(v);
      return bool((bits >> 23 & 0xff) - first_ < width_) | bool(bits << 1 == 0);
    }
    /// The same for a single value besides those of the items.
    bool can_add(float v) const {
      const uint32_t bits = ordo::detail::float_bits(v);
      return bool((bits >> 23 & 0xff) - first_ <= kExactReach) | bool(bits << 1 == 0);
    }
    int64_t addend(float v) const { return exact_detail::to_nearest(double(v) * scale_); }

   private:
    ExactCells& cells_;
    int64_t* sums_;
    double scale_;
    uint32_t first_, width_;
  };

  /// The sums in window w, or null when nothing was added there.
  int64_t* window(int w) const { return sums_[size_t(w)] ? sums_[size_t(w)]->data() : nullptr; }

  /// The window w of these cells, made when it is missing.
  int64_t* make(int w) {
    auto& window = sums_[size_t(w)];
    if (!window) {
      window = std::make_unique<Scratch<int64_t>>(most_, Device());
      std::fill_n(window->data(), count_, 0);
    }
    return *window;
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
    std::array<const int64_t*, ExactWindows::kMost> others;  // finite ones
    int lowest = main_, highest = main_, count = 0;
    const int infinities = windows_.infinities();
    for (int w = 0; w < infinities; ++w)
      if (window(w)) {
        lowest = std::min(lowest, w);
        highest = w;
        if (w != main_) others[size_t(count++)] = window(w);
      }
    highest = std::max(highest, main_);
    const int64_t* const counts = window(infinities);
    for (int64_t c = first; c < last; ++c) {
      T& out = output(c);
      int64_t rare = counts ? counts[c] : 0;
      for (int k = 0; k < count; ++k) rare |= others[size_t(k)][c];
      if (rare == 0 && main[c] == 0) continue;
      if (rare == 0 && adder.can_add(float(out)))
        out = exact_detail::round_once<T>(main[c] + adder.addend(float(out)), base_ - 150);
      else if ((counts && counts[c] != 0) || exact_exponent(float(out)) == kExactNotFinite)
        out = exact_not_finite_result(out, counts ? counts[c] : 0);
      else
        out = exact_result(out, windows_, lowest, highest, [&](int w) { return window(w) ? window(w)[c] : 0; });
    }
  }

 private:
  [[gnu::noinline]] void add_elsewhere(int64_t cell, float v) {
    const int exponent = exact_exponent(v);
    if (exponent == kExactNotFinite) {
      int64_t& count = make(windows_.infinities())[cell];
      count = int64_t(uint64_t(count) + uint64_t(exact_not_finite(v)));
    } else {
      const int w = windows_.of(exponent);
      make(w)[cell] += exact_addend(v, windows_.base(w));
    }
  }

  ExactWindows windows_;
  int main_, base_;
  int64_t most_, count_ = 0;
  std::array<std::unique_ptr<Scratch<int64_t>>, ExactWindows::kMost> sums_;
};

}  // namespace ordo::kernels::cpu::accumulate_detail
