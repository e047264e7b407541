#pragma once

#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels {

/// As OrderedSum, for at most 64 values: a plain fold.
template <class Acc>
class ShortSum {
 public:
  ORDO_HD void push(Acc value) { sum_ += value; }
  ORDO_HD Acc result() const { return sum_; }

 private:
  Acc sum_ = kNoValue<Acc>;
};

}  // namespace ordo::kernels
