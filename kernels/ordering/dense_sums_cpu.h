// Running sums by ordering rule 1 (docs/ordering.md) for a range of destinations, on the CPU.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/ordering/ordered_row_cpu.h>

namespace ordo::kernels::cpu {

/// A sum, and how many values are in it: fewer than a group, and none in the sum of a whole one.
template <class Acc>
class DenseSum {
 public:
  static DenseSum empty() { return {kNoValue<Acc>, 0}; }
  /// Whether the group is whole.
  bool add(Acc value) {
    sum_ += value;
    return ++open_ == kOrderedGroup;
  }
  Acc sum() const { return sum_; }
  uint32_t open() const { return open_; }

 private:
  DenseSum(Acc sum, uint32_t open) : sum_(sum), open_(open) {}
  Acc sum_;
  uint32_t open_;
};

template <class T>
struct PairOf;
template <>
struct PairOf<float> {
  using type [[gnu::vector_size(8)]] = float;
};
template <>
struct PairOf<double> {
  using type [[gnu::vector_size(16)]] = double;
};

/// Both in one register: one load, one addition and one store do for both.
template <std::floating_point Acc>
class DenseSum<Acc> {
  using Pair = typename PairOf<Acc>::type;

 public:
  static DenseSum empty() { return Pair{kNoValue<Acc>, 0}; }
  bool add(Acc value) {
    both_ += Pair{value, 1};
    return both_[1] == Acc(kOrderedGroup);
  }
  Acc sum() const { return both_[0]; }
  Acc open() const { return both_[1]; }

 private:
  DenseSum(Pair both) : both_(both) {}
  Pair both_;
};

/// One OrderedSum per destination of a range, laid out for the usual case of runs within a group: few bytes each, so
/// that many stay in the cache.
template <class Acc>
class DenseSums {
 public:
  /// For ranges of up to `most` destinations and `items` items in all.
  DenseSums(int64_t most, int64_t items) : sums_(most, Device()), most_(most) {
    for (int64_t span = kOrderedGroup; span <= items; span *= kOrderedGroup) ++level_count_;
  }
  void begin(int64_t width) {
    Sum* const sums = sums_;
    std::fill_n(sums, std::min<int64_t>(width, 16), Sum::empty());
    for (int64_t done = 16; done < width; done *= 2) std::copy_n(sums, std::min(done, width - done), sums + done);
    if (groups_) std::fill_n(groups_->data(), width, 0u);
  }
  void add(int64_t d, Acc value) {
    if (sums_[d].add(value)) [[unlikely]]
      carry(d);
  }
  struct Entry {
    uint32_t place;
    Acc value;
  };
  /// Adds every entry's value to the sum of its destination, in this order.
  void add(const Entry* entries, int64_t count) {
    Sum* const sums = sums_;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t d = int64_t(entries[i].place);
      if (sums[d].add(entries[i].value)) [[unlikely]]
        carry(d);
    }
  }
  /// Adds the sum of destination d to `out`, if there is one.
  template <class T>
  void finish(int64_t d, T& out) const {
    const bool open = sums_[d].open() != 0;
    const uint32_t groups = groups_ ? (*groups_)[d] : 0;
    if (!open && groups == 0) return;
    Acc sum = sums_[d].sum();
    if (groups > 0) fold_levels(groups, 1, open, &sum, levels_of(d));
    out = T(Acc(out) + sum);
  }
  /// finish() for the `width` destinations from d on, whose outputs are neighbours.
  template <class T>
  void finish(int64_t d, int64_t width, T* out) const {
    if (groups_) {
      for (int64_t k = 0; k < width; ++k) finish(d + k, out[k]);
      return;
    }
    const Sum* const sums = sums_ + d;
    for (int64_t k = 0; k < width; ++k) {  // no branch, so that the loop vectorises
      const T old = out[k], sum = T(Acc(old) + sums[k].sum());
      if constexpr (requires { old.value; })
        out[k].value = sums[k].open() != 0 ? sum.value : old.value;
      else
        out[k] = sums[k].open() != 0 ? sum : old;
    }
  }
  /// finish(), and destination d begins anew.
  template <class T>
  void take(int64_t d, T& out) {
    finish(d, out);
    sums_[d] = Sum::empty();
    if (groups_) (*groups_)[d] = 0;
  }

 private:
  [[gnu::noinline]] void carry(int64_t d) {
    if (!groups_) {
      groups_.emplace(most_, Device());
      levels_.emplace(level_count_ * most_, Device());
      std::fill_n(groups_->data(), most_, 0u);
    }
    Acc sum = std::exchange(sums_[d], Sum::empty()).sum();
    carry_group(++(*groups_)[d], 1, &sum, levels_of(d));
  }
  auto levels_of(int64_t d) const {
    return [this, d](int k) { return levels_->data() + k * most_ + d; };
  }

  using Sum = DenseSum<Acc>;
  Scratch<Sum> sums_;
  int64_t most_;
  int64_t level_count_ = 0;
  std::optional<Scratch<uint32_t>> groups_;  // whole groups of each destination
  std::optional<Scratch<Acc>> levels_;       // written where groups_ says so
};

}  // namespace ordo::kernels::cpu
