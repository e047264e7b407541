// Ordering rule 1 (docs/ordering.md) for neighbouring columns, on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cpu {

/// Columns that an OrderedRow takes at most: their sums stay in the cache.
inline constexpr int kColumnBlock = 512;

/// Of a run's columns, `row` has the sums of the last of `groups` whole groups. They are passed on to the levels above,
/// as far as these are whole in turn: level(k) is where level k has as many columns.
template <class Acc, class Level>
void carry_group(int64_t groups, int64_t width, Acc* row, const Level& level) {
  for (int k = 0;; groups /= kOrderedGroup, ++k) {
    Acc* const at = level(k);
    if (groups % kOrderedGroup != 1)
      for (int64_t j = 0; j < width; ++j) row[j] = at[j] + row[j];
    std::copy_n(row, width, at);
    if (groups % kOrderedGroup != 0) return;
  }
}
/// The sums of all levels, and of a last, incomplete group in `row` if `open`; left in `row`.
template <class Acc, class Level>
void fold_levels(int64_t groups, int64_t width, bool open, Acc* row, const Level& level) {
  for (int k = 0; groups > 0; groups /= kOrderedGroup, ++k) {
    if (groups % kOrderedGroup == 0) continue;
    const Acc* const at = level(k);
    for (int64_t j = 0; j < width; ++j) row[j] = open ? at[j] + row[j] : at[j];
    open = true;
  }
}

/// OrderedSum for a block of columns at once, fed with the sums of groups.
template <class Acc>
class OrderedRow {
 public:
  /// Adds the sums of the next group; `row` is overwritten.
  void push_group(Acc* row, int width) {
    carry_group(++groups_, width, row, [&](int k) { return levels_[k]; });
  }
  /// The sums of all groups and a last, incomplete one in `row` if `open`; left in `row`.
  void finish(Acc* row, int width, bool open) const {
    fold_levels(groups_, width, open, row, [&](int k) { return levels_[k]; });
  }

 private:
  int64_t groups_ = 0;
  Acc levels_[kOrderedLevels][kColumnBlock];
};

/// The ordered sums of columns, fed with rows.
template <class Acc>
class OrderedRows {
 public:
  explicit OrderedRows(int width) : width_(width) { std::fill_n(sums_, width, kNoValue<Acc>); }
  /// Adds a row, whose columns are value(0), ..., value(width - 1).
  template <class Value>
  void add(const Value& value) {
    if (count_ > 0 && count_ % kOrderedGroup == 0) {
      groups_.push_group(sums_, width_);
      std::fill_n(sums_, width_, kNoValue<Acc>);
    }
    ++count_;
    for (int j = 0; j < width_; ++j) sums_[j] += value(j);
  }
  int64_t count() const { return count_; }
  /// The sums of all rows. Nothing can be added after.
  const Acc* finish() {
    if (count_ > kOrderedGroup) groups_.finish(sums_, width_, true);
    return sums_;
  }

 private:
  int width_;
  int64_t count_ = 0;
  Acc sums_[kColumnBlock];
  OrderedRow<Acc> groups_;
};

}  // namespace ordo::kernels::cpu
