// The extreme values of a tensor, for checks. Plain: no autograd.
#pragma once

#include <optional>
#include <utility>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// The least and the greatest element of a tensor on the CPU. Nothing where there are no elements, and on devices,
/// where looking at them would wait.
std::optional<std::pair<double, double>> known_range(const Tensor& t);

}  // namespace ordo::kernels
