// Extreme values and where they are.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

/// What max, min, sort and their like over one dimension give.
struct MaxResult {
  Tensor values;
  Tensor indices;  ///< int64, along the dimension
};

/// The largest (smallest) element, a 0-d tensor. NaN when there is one. All dtypes; ValueError for empty tensors. The
/// gradient is shared evenly among equal elements. As torch.max and torch.min.
Tensor max(const Tensor& input);
Tensor min(const Tensor& input);
/// Over dimension `dim`: values, and the index of the first of equal ones (of the first NaN), which alone gets the
/// gradient. ValueError when the dimension is empty and the result is not.
MaxResult max(const Tensor& input, int64_t dim, bool keepdim = false);
MaxResult min(const Tensor& input, int64_t dim, bool keepdim = false);
/// Values only, over any dimensions (none: all). The gradient is shared evenly among equal elements.
Tensor amax(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
Tensor amin(const Tensor& input, const Dims& dims = {}, bool keepdim = false);
/// The index of the first largest (smallest) element, int64: along `dim`, or into the flattened tensor.
Tensor argmax(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);
Tensor argmin(const Tensor& input, std::optional<int64_t> dim = {}, bool keepdim = false);

}  // namespace ordo
