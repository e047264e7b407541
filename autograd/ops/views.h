// The gradient of Tensor::slice, select and narrow. The views themselves are methods of Tensor.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo {

/// A tensor of `sizes` that is zero but for `.slice(dim, start, end, step)`, which is `grad`. Differentiable.
Tensor slice_backward(const Tensor& grad, const Dims& sizes, int64_t dim, int64_t start, int64_t end, int64_t step);

}  // namespace ordo
