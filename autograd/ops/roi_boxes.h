// Boxes given for every image, as one tensor. Internal.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::detail {

/// [K, 5] of the lists' [L, 4], each row with the number of its list before. Of input's dtype and device.
Tensor joined_boxes(const char* op, const Tensor& input, const TensorList& boxes);

}  // namespace ordo::detail
