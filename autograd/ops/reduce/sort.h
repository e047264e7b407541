// Elements in order. Equal ones keep theirs, in ascending and in descending order; NaN is the greatest, zeros of both
// signs are equal. All dtypes. The same results everywhere. IndexError for a dimension that input has not.
//
// Indices are int64 and count along `dim`. The gradient of values goes to the elements that were taken.
#pragma once

#include <optional>

#include <ordo/autograd/ops/reduce/reductions.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// The lines along `dim` in ascending or descending order, and where each value stood.
///
/// Shapes: any, kept.
/// Dtypes: any; indices are int64.
/// Throws: IndexError when there is no dimension `dim`; ValueError when a line on CUDA has more than 2^32 - 1 elements.
/// Determinism: the same bits on every device at every level.
/// Gradient: of values, to the elements that were taken.
/// PyTorch: torch.sort with stable=True.
MaxResult sort(const Tensor& input, int64_t dim = -1, bool descending = false);
/// sort's indices.
///
/// Shapes, Dtypes, Throws, Determinism: as sort.
/// Gradient: none.
/// PyTorch: torch.argsort.
Tensor argsort(const Tensor& input, int64_t dim = -1, bool descending = false);

/// The first k of sort(input, dim, largest); of equal elements those with lower indices.
///
/// Shapes: input's, with k along `dim`.
/// Dtypes: as sort.
/// Throws: as sort; ValueError when k is not in [0, input.size(dim)].
/// Determinism, Gradient: as sort.
/// PyTorch: torch.topk, which leaves open which of equal elements it takes.
MaxResult topk(const Tensor& input, int64_t k, int64_t dim = -1, bool largest = true);

/// Value and index at place k, from 1 on, of the sorted line.
///
/// Shapes: input's, without `dim`.
/// Dtypes: as sort.
/// Throws: as sort; ValueError when k is not in [1, input.size(dim)].
/// Determinism, Gradient: as sort.
/// PyTorch: torch.kthvalue.
MaxResult kthvalue(const Tensor& input, int64_t k, int64_t dim = -1, bool keepdim = false);

/// The middle value of each sorted line, the lower one of two, and where it stands. A line with a NaN gives its first
/// NaN; nanmedian does not count NaNs unless there is nothing else.
///
/// Shapes: input's, without `dim`; 0-d of all elements.
/// Dtypes: as sort.
/// Throws: as sort; ValueError when a line is empty. Of no elements at all, a floating dtype gives NaN, others throw.
/// Determinism: as sort.
/// Gradient: as sort; of all elements, shared evenly among equal ones.
/// PyTorch: torch.median, torch.nanmedian.
MaxResult median(const Tensor& input, int64_t dim, bool keepdim = false);
MaxResult nanmedian(const Tensor& input, int64_t dim, bool keepdim = false);
/// Of all elements.
Tensor median(const Tensor& input);
Tensor nanmedian(const Tensor& input);

/// The commonest value of each line, the smallest of several, and its last place. No NaN equals another.
///
/// Shapes: input's, without `dim`.
/// Dtypes: as sort.
/// Throws: as sort; ValueError when a line is empty.
/// Determinism, Gradient: as sort.
/// PyTorch: torch.mode.
MaxResult mode(const Tensor& input, int64_t dim = -1, bool keepdim = false);

/// A tensor of zeros of `sizes`, but out[.., index[.., i, ..], ..] = grad[.., i, ..] along `dim`.
///
/// Shapes: grad and index of one shape; no line of index holds an entry twice.
/// Dtypes: any grad; index int64.
/// Throws: IndexError, ShapeError, DTypeError as scatter.
/// Determinism: the same bits on every device at every level.
/// Gradient: gather of grad at index.
/// PyTorch: no counterpart.
Tensor sort_backward(const Tensor& grad, const Dims& sizes, int64_t dim, const Tensor& index);

/// What stands between two elements: a value in proportion, either of them, their middle, or the nearer one (of two
/// equally near ones that at an even place).
enum class Interpolation { linear, lower, higher, midpoint, nearest };

/// The value at place q (n - 1) of each sorted line of n elements along `dim`, or of all elements. A line with a NaN
/// gives NaN; nanquantile does not count NaNs unless there is nothing else. On CUDA the call waits for q.
///
/// Shapes: q 0-d or 1-d; a 1-d q gives a first dimension of its size, before input's without `dim`.
/// Dtypes: float32 or float64.
/// Throws: ValueError when a line is empty or a q is not in [0, 1]; ShapeError when q has more dimensions; DTypeError
/// when dtypes are others; IndexError as sort.
/// Determinism: the same bits on every device at every level.
/// Gradient: to the one or two elements, in proportion.
/// PyTorch: torch.quantile, torch.nanquantile.
Tensor quantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor quantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, const Tensor& q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);
Tensor nanquantile(const Tensor& input, double q, std::optional<int64_t> dim = {}, bool keepdim = false,
                   Interpolation interpolation = Interpolation::linear);

}  // namespace ordo
