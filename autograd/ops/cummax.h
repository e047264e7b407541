// Running extreme values and where they are.
#pragma once

#include <ordo/autograd/ops/max.h>

namespace ordo {

/// values[i] = max(input[0], ..., input[i]) along `dim`, and the index of the last of the equal ones, int64. From the
/// first NaN on values are NaN, and the index is the last NaN's. As torch.cummax and torch.cummin.
///
/// All dtypes; both results have input's sizes. IndexError for a dimension that input has not.
/// Determinism: the same bits everywhere. Gradient: values' is added at their indices, as by scatter_add.
MaxResult cummax(const Tensor& input, int64_t dim);
MaxResult cummin(const Tensor& input, int64_t dim);

}  // namespace ordo
