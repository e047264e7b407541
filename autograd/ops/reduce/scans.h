// Running sums, products and extreme values, and differences of neighbours.
#pragma once

#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// out[i] = input[0] + ... + input[i] along `dim`. As torch.cumsum.
///
/// The result has input's sizes and, where that is floating, its dtype; sums of integers and bools are int64, and wrap.
/// IndexError for a dimension that input has not. A 0-d input counts as one value.
/// Determinism: the order is ordering rule 6 (docs/ordering.md) on every device; up to 64 values add left to right.
/// Gradient: the running sum of the gradient from the end, in the same order from there.
Tensor cumsum(const Tensor& input, int64_t dim);

/// out[i] = input[0] * ... * input[i] along `dim`; dtypes, errors and order as cumsum. As torch.cumprod.
///
/// Gradient: that of input[i] is the running sum from the end of gradient * out, divided by input[i]; where the line
/// holds zeros, its true value. A second gradient of lines with zeros takes time quadratic in their length.
Tensor cumprod(const Tensor& input, int64_t dim);

/// out[i] = log(exp(input[0]) + ... + exp(input[i])) along `dim`, without overflow: logaddexp in the order of cumsum.
/// As torch.logcumsumexp. Floating dtypes (DTypeError).
Tensor logcumsumexp(const Tensor& input, int64_t dim);

/// values[i] = max(input[0], ..., input[i]) along `dim`, and the index of the last of the equal ones, int64. From the
/// first NaN on values are NaN, and the index is the last NaN's. As torch.cummax and torch.cummin.
///
/// All dtypes; both results have input's sizes. IndexError for a dimension that input has not.
/// Determinism: the same bits everywhere. Gradient: values' is added at their indices, as by scatter_add.
MaxResult cummax(const Tensor& input, int64_t dim);
MaxResult cummin(const Tensor& input, int64_t dim);

/// out[i] = input[i + 1] - input[i] along `dim`, n times over. As torch.diff.
///
/// `prepend` and `append`, where given, are joined to input along `dim` first (cat). Of bools, whether they differ.
/// n = 0 gives a copy; with n or fewer values nothing is left. All dtypes; input has a dimension at least (ShapeError);
/// n is not negative (ValueError).
Tensor diff(const Tensor& input, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = {},
            const Tensor& append = {});

}  // namespace ordo
