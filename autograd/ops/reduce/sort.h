// Elements in order. Equal ones keep theirs, in ascending and in descending order; NaN is the greatest, zeros of both
// signs are equal. All dtypes. The same results everywhere. IndexError for a dimension that input has not.
//
// Indices are int64 and count along `dim`. The gradient of values goes to the elements that were taken.
#pragma once

#include <optional>

#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The lines along `dim` in ascending or descending order, and where each value stood. As torch.sort with stable=True.
/// On CUDA a line has at most 2^32 - 1 elements (ValueError).
MaxResult sort(const Tensor& input, int64_t dim = -1, bool descending = false);
/// sort's indices.
Tensor argsort(const Tensor& input, int64_t dim = -1, bool descending = false);

/// The first k of sort(input, dim, largest), 0 <= k <= input.size(dim) (ValueError). As torch.topk; always sorted, and
/// of equal elements those with lower indices.
MaxResult topk(const Tensor& input, int64_t k, int64_t dim = -1, bool largest = true);

/// Value and index at place k, from 1 to input.size(dim) (ValueError), of the sorted line. As torch.kthvalue.
MaxResult kthvalue(const Tensor& input, int64_t k, int64_t dim = -1, bool keepdim = false);

/// The middle value of each sorted line, the lower one of two, and where it stands. A line with a NaN gives its first
/// NaN; nanmedian does not count NaNs unless there is nothing else. ValueError for empty lines. As torch.median and
/// torch.nanmedian.
MaxResult median(const Tensor& input, int64_t dim, bool keepdim = false);
MaxResult nanmedian(const Tensor& input, int64_t dim, bool keepdim = false);
/// Of all elements, a 0-d tensor; NaN where there is none and the dtype is floating (else ValueError). The gradient is
/// shared evenly among equal elements.
Tensor median(const Tensor& input);
Tensor nanmedian(const Tensor& input);

/// The commonest value of each line, the smallest of several, and its last place. No NaN equals another. ValueError for
/// empty lines. As torch.mode.
MaxResult mode(const Tensor& input, int64_t dim = -1, bool keepdim = false);

/// A tensor of zeros of `sizes`, but out[.., index[.., i, ..], ..] = grad[.., i, ..] along `dim`, an index that no line
/// of `index` holds twice. The gradient of the functions above, and differentiable.
Tensor sort_backward(const Tensor& grad, const Dims& sizes, int64_t dim, const Tensor& index);

/// What stands between two elements: a value in proportion, either of them, their middle, or the nearer one (of two
/// equally near ones that at an even place).
enum class Interpolation { linear, lower, higher, midpoint, nearest };

/// The value at place q (n - 1) of each sorted line of n elements along `dim`, or of all elements. As torch.quantile.
///
/// input: float32 or float64 (DTypeError), lines not empty (ValueError). q: numbers from 0 to 1 (ValueError), 0-d or
/// 1-d (ShapeError); a 1-d q gives a first dimension of its size. A line with a NaN gives NaN; nanquantile does not
/// count NaNs unless there is nothing else. On CUDA the call waits for q. Determinism: the same bits everywhere.
/// Gradient: it goes to the one or two elements, in proportion.
Tensor quantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor quantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);

}  // namespace ordo
