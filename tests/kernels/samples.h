// What tests of kernels share, with the headers that nearly all of them need.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/op_samples.h"

namespace ordo::test {

/// A sample of these inputs; what else it has follows.
inline Sample new_sample(std::string label, TensorList inputs) {
  Sample s;
  s.label = std::move(label);
  s.inputs = std::move(inputs);
  return s;
}

/// f of every element.
inline std::vector<double> each_value(const Tensor& t, const std::function<double(double)>& f) {
  std::vector<double> out;
  for (double v : t.to_vector<double>()) out.push_back(f(v));
  return out;
}

}  // namespace ordo::test
