// Ordering rule 1 as docs/ordering.md states it, and accumulation by it, in plain loops.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <ordo/engine/tensor/dtype.h>

namespace ordo::test {

/// The sum, or what else `add` does.
template <class Acc, class Add = std::plus<Acc>>
Acc rule1(std::vector<Acc> v, Add add = {}) {
  while (v.size() > 1) {
    std::vector<Acc> groups;
    for (size_t g = 0; g < v.size(); g += 64) {
      Acc sum = v[g];
      for (size_t i = g + 1; i < std::min(v.size(), g + 64); ++i) sum = add(sum, v[i]);
      groups.push_back(sum);
    }
    v = groups;
  }
  return v[0];
}

/// Adds value(i) to output[destination[i]] for all i (destination -1: not at all), in the contract's order.
template <class T>
void accumulate_by_rule1(std::vector<T>& output, const std::vector<int64_t>& destination,
                         const std::function<accumulate_t<T>(int64_t item)>& value) {
  using Acc = accumulate_t<T>;
  std::vector<std::vector<Acc>> runs(output.size());
  for (size_t i = 0; i < destination.size(); ++i)
    if (destination[i] >= 0) runs[size_t(destination[i])].push_back(value(int64_t(i)));
  for (size_t d = 0; d < output.size(); ++d)
    if (!runs[d].empty()) output[d] = T(Acc(output[d]) + rule1(runs[d]));
}

/// Accumulates by rule 1 each column of a result of `shape`, a kernels::AccumulateShape, of value(i, outer, inner).
template <class T, class Shape, class F>
void accumulate_columns_by_rule1(std::vector<T>& output, const std::vector<int64_t>& destination, const Shape& shape,
                                 const F& value) {
  for (int64_t o = 0; o < shape.outer; ++o)
    for (int64_t j = 0; j < shape.inner; ++j) {
      std::vector<T> column(size_t(shape.destinations));
      for (int64_t d = 0; d < shape.destinations; ++d) column[size_t(d)] = output[size_t(shape.offset(d, o, j))];
      accumulate_by_rule1<T>(column, destination, [&](int64_t i) { return value(i, o, j); });
      for (int64_t d = 0; d < shape.destinations; ++d) output[size_t(shape.offset(d, o, j))] = column[size_t(d)];
    }
}

}  // namespace ordo::test
