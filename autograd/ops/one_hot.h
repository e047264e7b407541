// One-hot rows from classes.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// int64, of shape [target's..., num_classes]: 1 at each target, 0 elsewhere. target: int64 or int32, entries in
/// [0, num_classes) (else IndexError). num_classes = -1: one more than the largest target, which waits for the device.
/// As torch.nn.functional.one_hot.
Tensor one_hot(const Tensor& target, int64_t num_classes = -1);

}  // namespace ordo
