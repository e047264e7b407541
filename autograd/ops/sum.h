// Sums and means over some or all dimensions.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The sum of all elements, a 0-d tensor. Floating dtypes keep theirs (half types are summed in float); integers and
/// bool give int64, which wraps around. The sum of nothing is 0.
///
/// Floating sums follow rule 2 of docs/ordering.md at every determinism level: the same bits on every device and with
/// any number of threads. As torch.sum.
Tensor sum(const Tensor& input);
/// Over `dims`, which may be negative (IndexError out of range, ValueError when one is named twice); none means all.
/// keepdim leaves them in the shape with size 1.
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim = false);

/// sum divided by the number of elements; floating dtypes only (DTypeError). The mean of nothing is NaN. As torch.mean.
Tensor mean(const Tensor& input);
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim = false);

}  // namespace ordo
