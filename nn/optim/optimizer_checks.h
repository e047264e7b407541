// What optimisers share: what options must be, and the dtype they compute in. Internal to nn/optim.
#pragma once

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::optim {

inline void expect_at_least_0(const char* optimizer, const char* what, double value) {
  ORDO_CHECK(value >= 0, ValueError, optimizer, "needs {} of at least 0, not {}", what, value);
}

/// Of Adam and its kin.
template <class Options>
void expect_adam(const char* optimizer, const Options& o) {
  ORDO_CHECK(o.betas.first >= 0 && o.betas.first < 1 && o.betas.second >= 0 && o.betas.second < 1, ValueError,
             optimizer, "needs betas in [0, 1), not {} and {}", o.betas.first, o.betas.second);
  expect_at_least_0(optimizer, "eps", o.eps);
  expect_at_least_0(optimizer, "a weight decay", o.weight_decay);
}

/// Half types as float32, in which they are computed.
inline Tensor wide(const Tensor& t) { return t.element_size() == 2 ? t.to(float32) : t; }

}  // namespace ordo::optim
