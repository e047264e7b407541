// Ordering rule 1 (docs/ordering.md) for neighbouring columns, on the CPU.
#pragma once

#include <algorithm>
#include <cstdint>

#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cpu {

/// Columns that an OrderedRow takes at most: their sums stay in the cache.
inline constexpr int kColumnBlock = 512;

/// OrderedSum for a block of columns at once, fed with the sums of groups.
template <class Acc>
class OrderedRow {
 public:
  /// Adds the sums of the next group; `row` is overwritten.
  void push_group(Acc* row, int width) {
    ++groups_;
    int level = 0;
    for (int64_t n = groups_;; n >>= kOrderedGroupBits, ++level) {
      if ((n & (kOrderedGroup - 1)) != 1)
        for (int j = 0; j < width; ++j) row[j] = levels_[level][j] + row[j];
      std::copy_n(row, width, levels_[level]);
      if ((n & (kOrderedGroup - 1)) != 0) return;
    }
  }
  /// The sums of all groups and a last, incomplete one in `row` if `open`; left in `row`.
  void finish(Acc* row, int width, bool open) const {
    int level = 0;
    for (int64_t n = groups_; n > 0; n >>= kOrderedGroupBits, ++level) {
      if ((n & (kOrderedGroup - 1)) == 0) continue;
      if (open)
        for (int j = 0; j < width; ++j) row[j] = levels_[level][j] + row[j];
      else
        std::copy_n(levels_[level], width, row);
      open = true;
    }
  }

 private:
  int64_t groups_ = 0;
  Acc levels_[kOrderedLevels][kColumnBlock];
};

/// Likewise fed with rows.
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
