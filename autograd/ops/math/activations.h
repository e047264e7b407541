// Softmax, and activations with a second operand: a slope, or a gate. Floating dtypes (DTypeError).
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// exp(x - m) / sum(exp(x - m)) along `dim`, m being the maximum there. Floating dtypes (DTypeError); IndexError for a
/// dimension out of range. Sums follow rule 2 of docs/ordering.md and exp is Ordo's own: the same bits everywhere.
/// As torch.softmax.
Tensor softmax(const Tensor& input, int64_t dim);
/// x - m - log(sum(exp(x - m))). As torch.log_softmax.
Tensor log_softmax(const Tensor& input, int64_t dim);

/// x where x > 0, else weight x. weight: one element, or one for each index of dimension 1 of x (ShapeError), of x's
/// dtype. The derivative at 0 is the weight. As torch.nn.functional.prelu.
Tensor prelu(const Tensor& x, const Tensor& weight);

/// a sigmoid(b), a and b being the halves of x along `dim`. ShapeError where its size is odd, IndexError for 0-d
/// tensors. As torch.nn.functional.glu.
Tensor glu(const Tensor& x, int64_t dim = -1);

}  // namespace ordo
