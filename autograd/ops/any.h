// Tests over elements.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// Whether any (every) element is different from zero, bool: of the tensor, or over `dims` (none: all). NaN is
/// different from zero. Of nothing, any is false and all is true. As torch.any and torch.all.
Tensor any(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor all(const Tensor& input, const Dims& dims = {}, bool keepdim = false);

}  // namespace ordo
