// The gradient of a source that scatter wrote, in one pass on the CPU, without autograd.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

/// As gather, but 0 where a later item in row-major order goes to the same place. `t` may be larger than the index in
/// the other dimensions. Undefined but on the CPU.
Tensor pick_stayed(const Tensor& t, int64_t dim, const Tensor& index);

}  // namespace ordo::kernels
