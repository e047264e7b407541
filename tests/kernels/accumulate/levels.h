// How CUDA adds one value to levels for `exact`, without CUDA: for tests of the arithmetic.
#pragma once

#include <vector>

#include <ordo/kernels/accumulate/exact/exact_levels.h>

namespace ordo::test {

/// The levels of one element, as CUDA has them.
struct Levels {
  std::vector<double> sums;
  bool last_rounded = false;

  explicit Levels(int64_t values) : sums(size_t(kernels::exact_levels(values))) {}
  void add(double v) {
    for (size_t k = 0; v != 0 && k < sums.size(); ++k) v = kernels::add_rounded(sums[k], v);
    last_rounded |= v != 0;
  }
  template <class T>
  T result(T old) const {
    return kernels::exact_result(old, int(sums.size()), [&](int k) { return sums[size_t(k)]; });
  }
};

}  // namespace ordo::test
