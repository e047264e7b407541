// Sums, means and counts that pass over some elements.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// sum and mean over `dims` (none: all) of the elements that are not NaN. nansum: all dtypes, integers and bool give
/// int64; nanmean: floating dtypes (DTypeError), NaN where every element is. A NaN gets the gradient 0.
/// Sums follow rule 2 of docs/ordering.md, with +0 in place of a NaN. As torch.nansum and torch.nanmean.
Tensor nansum(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor nanmean(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

/// How many elements over `dims` (none: all) are not zero, int64; a NaN is not. No gradient. As torch.count_nonzero.
Tensor count_nonzero(const Tensor& input, const Dims& dims = {});

}  // namespace ordo
