// Logarithms of sums of exponentials.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// log(sum(exp(x))) over `dims` (none: all), computed as log(sum(exp(x - m))) + m; m is the maximum, or 0 where that is
/// infinite. Floating dtypes (DTypeError); dimensions as in sum. Of nothing: -infinity. The sum follows rule 2 of
/// docs/ordering.md: the same bits everywhere. The gradient is exp(x - result), which is NaN where the maximum is
/// infinite. As torch.logsumexp.
Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim = false);

}  // namespace ordo
