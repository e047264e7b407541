// Numbers that the program needs from the device. Internal.
#pragma once

#include <vector>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::detail {

/// The values of tensors of one element each, by one copy and one wait for all of them.
std::vector<double> values_of(const TensorList& tensors);

}  // namespace ordo::detail
