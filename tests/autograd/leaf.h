// Leaves that require a gradient, and what tensors hold.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::test {

using V = std::vector<double>;

inline Tensor leaf(const V& values) {
  return from_vector(values, {int64_t(values.size())}, {.dtype = float64, .requires_grad = true});
}
inline V values(const Tensor& t) { return t.to_vector<double>(); }

}  // namespace ordo::test
