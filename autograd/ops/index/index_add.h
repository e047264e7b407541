// Sums of values and of slices by index.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo {

/// A copy of input with alpha * source added to the slices that index names; for dim = 0 of two:
/// out[index[i]][j] += alpha * source[i][j]. As torch.index_add; in place: Tensor::index_add_.
///
/// index: int32 or int64, 0-d or 1-d, entries in [0, input.size(dim)), else IndexError; negative entries do not count
/// from the end. source: the sizes and dtype of input, but index.numel() slices along `dim` (ShapeError, DTypeError).
/// A 0-d input or source counts as 1-d of size 1. dtypes: all but bool; alpha must be an integer for integers.
/// Half types add in float: `sorted` and `exact` round once, `atomic` at every addition.
///
/// Determinism: `atomic` adds in the order threads arrive (not_guaranteed); `sorted` in that of ordering rule 1
/// (docs/ordering.md); `exact` gives the true sum, rounded once (rule 5; not for float64). The latter two have the same
/// bits on every device. The deterministic levels use `exact` where slices have one element and there are as many as
/// input.size(dim) or more, else `sorted`. Integers are the same in every way. ValueError for another algorithm.
/// Gradients: of input, the gradient itself; of source, alpha times its slices at index.
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                 Algorithm algorithm = Algorithm::automatic);
/// The same for plan.index(), 0-d or 1-d, whose entries have been sorted; by `sorted` at every level. ShapeError unless
/// the plan is for input.size(dim).
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha = 1);

/// out[v] = how many elements of input equal v, or the sum of their weights. As torch.bincount.
///
/// input: 1-d, uint8, int32 or int64, not negative (ValueError). weights: the same sizes (ShapeError), or undefined.
/// The result has max(largest value + 1, minlength) elements, minlength >= 0 (ValueError); int64 without weights,
/// float32 for float32 weights, float64 for all others. An empty input gives minlength zeros. The size of the result
/// depends on the values, so on CUDA the call waits for the device.
///
/// Determinism: with weights as index_add: `atomic` at not_guaranteed; at the other levels `exact` (the true sum,
/// rounded once) for float32 unless the result is longer than input, else `sorted` (ordering rule 1). Counts are the
/// same either way. Gradient: of weights, the gradient at input.
Tensor bincount(const Tensor& input, const Tensor& weights = {}, int64_t minlength = 0,
                Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo
