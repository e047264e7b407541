// Products over some or all dimensions.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// The product of all elements, or over `dims` (none: all). Floating dtypes keep theirs (half types are multiplied in
/// float); integers and bool give int64, which wraps around. The product of nothing is 1. Errors as sum.
///
/// Floating products follow rule 2 of docs/ordering.md, multiplications in place of additions: the same bits on every
/// device. The gradient of an element is the product of the others, also where there are zeros. As torch.prod.
Tensor prod(const Tensor& input);
Tensor prod(const Tensor& input, const Dims& dims, bool keepdim = false);

}  // namespace ordo
