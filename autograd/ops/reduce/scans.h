// Running sums, products and extreme values, and differences of neighbours.
#pragma once

#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// out[i] = input[0] + ... + input[i] along `dim`.
///
/// Shapes: any, kept; a 0-d input counts as one value.
/// Dtypes: any; sums of integers and bools are int64 and wrap, floating dtypes keep theirs.
/// Throws: IndexError when there is no dimension `dim`.
/// Determinism: the same bits on every device at every level; ordering rule 6. Up to 64 values add left to right.
/// Gradient: the running sum of grad from the end, in the same order from there.
/// PyTorch: torch.cumsum.
Tensor cumsum(const Tensor& input, int64_t dim);
Tensor cumsum(const Tensor& input, int64_t dim, DType dtype);  ///< of input.to(dtype)

/// out[i] = input[0] * ... * input[i] along `dim`.
///
/// Shapes, Dtypes, Throws, Determinism: as cumsum.
/// Gradient: of input[i], the running sum from the end of grad * out, divided by input[i]; where the line holds zeros,
/// its true value. A second gradient of lines with zeros takes time quadratic in their length.
/// PyTorch: torch.cumprod.
Tensor cumprod(const Tensor& input, int64_t dim);
Tensor cumprod(const Tensor& input, int64_t dim, DType dtype);  ///< of input.to(dtype)

/// out[i] = log(exp(input[0]) + ... + exp(input[i])) along `dim`, without overflow: logaddexp in the order of cumsum.
///
/// Shapes: as cumsum.
/// Dtypes: floating.
/// Throws: as cumsum; DTypeError when input is not floating.
/// Determinism: as cumsum.
/// Gradient: the running sum from the end of grad exp(-out), times exp(input).
/// PyTorch: torch.logcumsumexp.
Tensor logcumsumexp(const Tensor& input, int64_t dim);

/// values[i] = max(input[0], ..., input[i]) along `dim` (cummin: min), and the index of the last of the equal ones.
/// From the first NaN on values are NaN, and the index is the last NaN's.
///
/// Shapes: as cumsum, both.
/// Dtypes: any, kept; indices are int64.
/// Throws: as cumsum.
/// Determinism: the same bits on every device at every level; the gradient as scatter_add.
/// Gradient: of values, added at their indices.
/// PyTorch: torch.cummax, torch.cummin.
MaxResult cummax(const Tensor& input, int64_t dim);
MaxResult cummin(const Tensor& input, int64_t dim);

/// out[i] = input[i + 1] - input[i] along `dim`, n times over; of bools, whether they differ. `prepend` and `append`,
/// where given, are joined to input along `dim` first. n = 0 gives a copy.
///
/// Shapes: one dimension or more; `dim` loses n elements, with n or fewer all of them.
/// Dtypes: any.
/// Throws: ShapeError when input is 0-d or what is joined does not fit; ValueError when n is negative; IndexError when
/// there is no dimension `dim`.
/// Determinism: the same bits on every device at every level.
/// Gradient: that of the differences.
/// PyTorch: torch.diff.
Tensor diff(const Tensor& input, int64_t n = 1, int64_t dim = -1, const Tensor& prepend = {},
            const Tensor& append = {});

}  // namespace ordo
