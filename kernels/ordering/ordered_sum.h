// The streaming form of ordering rule 1 (docs/ordering.md).
#pragma once

#include <cstdint>
#include <type_traits>

#include <ordo/engine/tensor/host_device.h>

namespace ordo::kernels {

/// C of the ordering contract: values per group. A change is a new version of the contract.
/// Every implementation of the rule takes it from here.
inline constexpr int kOrderedGroupBits = 6;
inline constexpr int64_t kOrderedGroup = int64_t(1) << kOrderedGroupBits;
/// Levels of groups that a stream keeps apart: enough for 2^42 values.
inline constexpr int kOrderedLevels = 6;

/// A sum without values: -0 + v is v, whatever v. A sum can so begin without a test for its first value.
template <class Acc>
inline constexpr Acc kNoValue = std::is_integral_v<Acc> ? Acc(0) : Acc(-0.0);

/// Sums the values pushed, in the contract's tree: groups of 64 left to right, then the group results the same way.
/// For accumulation type Acc (float, double, int64_t); the caller adds the old content of the output last.
template <class Acc>
class OrderedSum {
 public:
  ORDO_HD OrderedSum() : count_(0), sum_(Acc(0)) {}

  ORDO_HD void push(Acc value) {
    sum_ = (count_ & (kOrderedGroup - 1)) ? sum_ + value : value;
    ++count_;
    if ((count_ & (kOrderedGroup - 1)) == 0) carry();
  }
  /// The sum of the next 64 values, folded left to right by the caller. Only where a group begins.
  ORDO_HD void push_group(Acc group) {
    sum_ = group;
    count_ += kOrderedGroup;
    carry();
  }

  ORDO_HD int64_t count() const { return count_; }

  /// The ordered sum of everything pushed; 0 when nothing was.
  ORDO_HD Acc result() const {
    if (count_ <= kOrderedGroup) return sum_;
    bool open = (count_ & (kOrderedGroup - 1)) != 0;
    Acc sum = open ? sum_ : Acc(0);
    int level = 0;
    for (int64_t groups = count_ >> kOrderedGroupBits; groups > 0; groups >>= kOrderedGroupBits, ++level) {
      if ((groups & (kOrderedGroup - 1)) == 0) continue;
      sum = open ? levels_[level] + sum : levels_[level];
      open = true;
    }
    return sum;
  }

 private:
  // A group is complete: its sum is a value of the level above, whose group it may complete in turn.
  ORDO_HD void carry() {
    Acc sum = sum_;
    int level = 0;
    for (int64_t groups = count_ >> kOrderedGroupBits;; groups >>= kOrderedGroupBits, ++level) {
      if ((groups & (kOrderedGroup - 1)) != 1) sum = levels_[level] + sum;
      levels_[level] = sum;
      if ((groups & (kOrderedGroup - 1)) != 0) return;
    }
  }

  int64_t count_;
  Acc sum_;
  Acc levels_[kOrderedLevels];  // levels_[k] is read only after it was written
};

}  // namespace ordo::kernels
