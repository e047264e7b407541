// Vector norms, and sums of squares.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// (sum |x|^p)^(1/p) over all elements, or over `dims` (none: all). p = 0 counts the elements that are not zero,
/// p = infinity (-infinity) takes the largest (smallest) |x|. Floating dtypes (DTypeError). Sums follow rule 2 of
/// docs/ordering.md: the same bits everywhere. At x = 0 the gradient is 0. As torch.norm.
Tensor norm(const Tensor& input, double p = 2);
Tensor norm(const Tensor& input, double p, const Dims& dims, bool keepdim = false);
/// sum x^2 over all elements, or over `dims` (none: all): norm(input, 2, dims)^2 without the rounding of the root.
/// Halves are squared and summed as float32.
Tensor square_sum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

}  // namespace ordo
