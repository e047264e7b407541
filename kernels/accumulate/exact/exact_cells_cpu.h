// What one thread has added up for the algorithm `exact`: the windows (exact.h) of a number of cells, elements of the
// output. Internal to exact_cpu.h.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <ordo/engine/half.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/accumulate/accumulate.h>
#include <ordo/kernels/accumulate/exact/exact.h>

namespace ordo::kernels::cpu::accumulate_detail {

/// The windows that nearly all values go to: 2^shift neighbours, from window `first` on. A cell's sums of these lie
/// side by side, so that a value touches one cache line whatever its exponent.
struct MainWindows {
  int first, shift;
  static constexpr int kMostShift = 4;
  int count() const { return 1 << shift; }
};

/// The main windows of every cell. Values outside of them are strays, kept in a list; the windows that many of them
/// need are made when the list is full.
class ExactCells {
 public:
  ExactCells(const ExactWindows& windows, const MainWindows& main, int64_t most, int64_t most_strays)
      : windows_(windows),
        main_(main),
        base_(windows.base(main.first)),
        most_(most),
        most_strays_(size_t(most_strays)),
        main_sums_(std::make_unique<Scratch<int64_t>>(most << main.shift, Device())) {}

  /// Starts again with `count` empty cells, at most `most`.
  void begin(int64_t count) {
    count_ = count;
    std::fill_n(main_sums_->data(), count << main_.shift, 0);
    for (auto& window : others_)
      if (window) std::fill_n(window->data(), count, 0);
    strays_.clear();
  }

  bool has_several() const { return main_.shift > 0; }
  /// Of the main windows.
  int64_t bytes() const { return (count_ << main_.shift) * int64_t(sizeof(int64_t)); }

  /// Finds the places of values in the main windows; apart from the rest so that it stays in registers.
  class Adder {
   public:
    explicit Adder(ExactCells& cells)
        : sums_(*cells.main_sums_),
          base_(cells.base_),
          shift_(cells.main_.shift),
          width_(cells.windows_.width),
          reciprocal_(65536u / uint32_t(width_) + 1),
          exponents_(uint32_t(cells.main_.count() * width_)),
          lowest_(uint32_t(std::max(base_, 0)) << 24),
          span_(shifted(base_ + int(exponents_)) - lowest_),
          reach_(shifted(base_ + int(exponents_) - width_ + kReach + 1) - lowest_) {}
    int64_t& sum(int64_t place) const { return sums_[place]; }
    void prefetch(int64_t place) const { __builtin_prefetch(sums_ + place, 1); }
    /// Whether v is a stray, 1 or 0. Zero is none. No branch: zeros often come mixed with other values.
    uint32_t is_stray(float v) const { return is_beyond(v, span_); }
    /// Whether the main windows can take v, a single value besides those of the items.
    bool can_add(float v) const { return is_beyond(v, reach_) == 0; }
    /// Among the main windows, that of v. Any for zero.
    uint32_t window(float v) const {
      const uint32_t field = std::max(ordo::detail::float_bits(v) << 1 >> 24, 1u);
      // The quotient by the width, exactly: there are less than 300 exponents.
      return std::min(field - uint32_t(base_), exponents_ - 1) * reciprocal_ >> 16;
    }
    int64_t place(int64_t cell, uint32_t window) const { return (cell << shift_) + int64_t(window); }
    /// A v of main window w, in its units.
    int64_t addend(float v, uint32_t w) const {
      const uint64_t scale = uint64_t(1173 - base_ - int(w) * width_) << 52;  // 2^(150 - the window's base)
      return int64_t(double(v) * std::bit_cast<double>(scale));
    }

   private:
    // The highest window can take the old content when it is at most so many exponents above its base. Then that is
    // below 2^61, the sum of all items below 2^62, and what the lower windows add below 2^56.
    static constexpr int kReach = 37;
    // Exponents as the highest byte, which is where a float has them when its sign is shifted out.
    static uint32_t shifted(int exponent) { return uint32_t(std::clamp(exponent, 0, kExactNotFinite)) << 24; }
    uint32_t is_beyond(float v, uint32_t span) const {
      const uint32_t magnitude = ordo::detail::float_bits(v) << 1;
      const uint32_t all_if_any = uint32_t(0) - uint32_t(magnitude != 0);
      return uint32_t(((magnitude - lowest_) & all_if_any) >= span);
    }

    int64_t* sums_;
    int base_, shift_, width_;
    uint32_t reciprocal_, exponents_, lowest_, span_, reach_;
  };

  /// Adds a stray.
  [[gnu::noinline]] void add(int64_t cell, float v) {
    if (strays_.size() < most_strays_) return strays_.push_back({cell, v});
    const Part part = part_of(v);
    int64_t& sum = make(part.window)[cell];
    sum = wrapping_add(sum, part.addend);
  }

  /// Takes the strays of others, and makes the windows that they have: then several threads may call add() of others'
  /// cells, and finish().
  void gather(std::span<ExactCells> others) {
    for (ExactCells& other : others) {
      strays_.insert(strays_.end(), other.strays_.begin(), other.strays_.end());
      for (int w = 0; w < ExactWindows::kMost; ++w)
        if (other.others_[size_t(w)]) make(w);
    }
    std::sort(strays_.begin(), strays_.end(), [](const Stray& a, const Stray& b) { return a.cell < b.cell; });
  }

  /// Adds the sums of others' cells [first, last).
  void add(const ExactCells& others, int64_t first, int64_t last) {
    const auto add_all = [](int64_t* to, const int64_t* from, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = wrapping_add(to[i], from[i]);
    };
    add_all(*main_sums_, *others.main_sums_, first << main_.shift, last << main_.shift);
    for (size_t w = 0; w < others_.size(); ++w)
      if (others.others_[w]) add_all(*others_[w], *others.others_[w], first, last);
  }

  /// Adds the sums to output(c), the elements of the cells [first, last).
  template <class T, class Output>
  void finish(int64_t first, int64_t last, const Output& output) {
    const Adder adder(*this);
    std::array<const int64_t*, ExactWindows::kMost> others;
    size_t other_count = 0;
    for (const auto& window : others_)
      if (window) others[other_count++] = window->data();
    auto stray = std::lower_bound(strays_.begin(), strays_.end(), first,
                                  [](const Stray& s, int64_t cell) { return s.cell < cell; });
    // Blocks of ordinary cells go through loops without branches; the results of others are put in afterwards.
    std::array<std::pair<int64_t, T>, kBlock> rare;
    for (int64_t begin = first; begin < last; begin += kBlock) {
      const int64_t end = std::min(last, begin + kBlock);
      int64_t any = stray != strays_.end() && stray->cell < end;
      for (size_t k = 0; k < other_count; ++k)
        for (int64_t c = begin; c < end; ++c) any |= others[k][c];
      for (int64_t c = begin; c < end; ++c) any |= int64_t(!adder.can_add(float(output(c))));
      size_t rare_count = 0;
      for (int64_t c = begin; any != 0 && c < end; ++c) {
        const auto from = stray;
        while (stray != strays_.end() && stray->cell == c) ++stray;
        int64_t is_rare = stray != from || !adder.can_add(float(output(c)));
        for (size_t k = 0; k < other_count; ++k) is_rare |= others[k][c];
        if (is_rare != 0) rare[rare_count++] = {c, result(c, T(output(c)), std::span(from, stray))};
      }
      finish_block<T>(adder, begin, end, output);
      for (size_t r = 0; r < rare_count; ++r) output(rare[r].first) = rare[r].second;
    }
  }

 private:
  static constexpr int64_t kBlock = 64;
  struct Stray {
    int64_t cell;
    float value;
  };
  struct Part {
    int window;
    int64_t addend;
  };

  Part part_of(float v) const {
    const int exponent = exact_exponent(v);
    if (exponent == kExactNotFinite) return {windows_.infinities(), exact_not_finite(v)};
    const int w = windows_.of(exponent);
    return {w, exact_addend(v, windows_.base(w))};
  }

  int64_t* make(int w) {
    auto& window = others_[size_t(w)];
    if (!window) {
      window = std::make_unique<Scratch<int64_t>>(most_, Device());
      std::fill_n(window->data(), count_, 0);
    }
    return *window;
  }

  // Cells [begin, end), at most kBlock, that have main windows only, and an old content that these can take. What it
  // writes to others is overwritten.
  template <class T, class Output>
  void finish_block(const Adder& adder, int64_t begin, int64_t end, const Output& output) const {
    const size_t count = size_t(end - begin);
    std::array<float, kBlock> before;
    std::array<int64_t, kBlock> total, unit;
    for (size_t k = 0; k < count; ++k) {
      const float old = float(output(begin + int64_t(k)));
      before[k] = adder.can_add(old) ? old : 0;
    }
    totals(adder, begin, std::span(before).first(count), total, unit);
    // A sum of zero leaves a zero as it is, bit for bit.
    const auto is_kept = [&](size_t k) { return total[k] == 0 && before[k] == 0; };
    if (base_ - 150 >= -126) {
      for (size_t k = 0; k < count; ++k) {
        const double power = std::bit_cast<double>(uint64_t(unit[k] + 1023) << 52);
        const float sum = exact_detail::round_normal<T>(total[k], power);
        output(begin + int64_t(k)) = T(is_kept(k) ? before[k] : sum);
      }
    } else {
      for (size_t k = 0; k < count; ++k)
        if (!is_kept(k)) output(begin + int64_t(k)) = exact_detail::round_once<T>(total[k], int(unit[k]));
    }
  }
  // The sums of cells from `begin` on and of their old contents, as total * 2^unit: the leading 30 bits or more, and a
  // last bit for the rest.
  void totals(const Adder& adder, int64_t begin, std::span<const float> before, std::array<int64_t, kBlock>& total,
              std::array<int64_t, kBlock>& unit) const;

  // Of any cell.
  template <class T, class Strays>
  T result(int64_t c, T old, const Strays& strays) const {
    std::array<int64_t, ExactWindows::kMost> sums{};
    for (size_t w = 0; w < sums.size(); ++w)
      if (others_[w]) sums[w] = (*others_[w])[c];
    for (int w = 0; w < main_.count() && main_.first + w < ExactWindows::kMost; ++w)
      sums[size_t(main_.first + w)] += (*main_sums_)[(c << main_.shift) + w];
    for (const Stray& stray : strays) {
      const Part part = part_of(stray.value);
      int64_t& sum = sums[size_t(part.window)];
      sum = wrapping_add(sum, part.addend);
    }
    const int infinities = windows_.infinities();
    const auto sum = [&](int w) { return sums[size_t(w)]; };
    if (sum(infinities) != 0 || exact_exponent(float(old)) == kExactNotFinite)
      return exact_not_finite_result(old, sum(infinities));
    int lowest = 0, highest = infinities - 1;
    while (highest > lowest && sum(highest) == 0) --highest;
    while (lowest < highest && sum(lowest) == 0) ++lowest;
    return exact_result(old, windows_, lowest, highest, sum);
  }

  ExactWindows windows_;
  MainWindows main_;
  int base_;  // of the lowest main window
  int64_t most_, count_ = 0;
  size_t most_strays_;
  std::unique_ptr<Scratch<int64_t>> main_sums_;  // [cell][main window]
  std::array<std::unique_ptr<Scratch<int64_t>>, ExactWindows::kMost> others_;
  std::vector<Stray> strays_;
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
