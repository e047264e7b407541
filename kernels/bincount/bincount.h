// How often each value occurs, or the sum of the weights of its occurrences. Plain: no autograd.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

/// autograd/ops/index/index_add.h has the rules.
Tensor bincount(const Tensor& input, const Tensor& weights = {}, int64_t minlength = 0,
                Algorithm algorithm = Algorithm::automatic);

struct ValueRange {
  int64_t least, greatest;
};
/// Of a contiguous index tensor that is not empty. On CUDA waits for the device.
ORDO_DEVICES(ValueRange, value_range, const Tensor& values)

}  // namespace ordo::kernels
