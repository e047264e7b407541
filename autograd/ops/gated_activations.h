// Activations with a second operand: a slope, or a gate. Floating dtypes (DTypeError); the same bits on every device.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// x where x > 0, else weight x. weight: one element, or one for each index of dimension 1 of x (ShapeError), of x's
/// dtype. The derivative at 0 is the weight. As torch.nn.functional.prelu.
Tensor prelu(const Tensor& x, const Tensor& weight);

/// a sigmoid(b), a and b being the halves of x along `dim`. ShapeError where its size is odd, IndexError for 0-d
/// tensors. As torch.nn.functional.glu.
Tensor glu(const Tensor& x, int64_t dim = -1);

}  // namespace ordo
