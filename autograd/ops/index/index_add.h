// Sums of values and of slices by index.
#pragma once

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo {

/// A copy of input with alpha * source added to the slices that index names; for dim = 0 of two: out[index[i]][j] +=
/// alpha * source[i][j].
///
/// Shapes: index 0-d or 1-d; source has input's sizes, but index.numel() slices along `dim`. 0-d counts as 1-d of size
/// 1.
/// Dtypes: all but bool, one for input and source; index int32 or int64. Half types add in float: `sorted` and `exact`
/// round once, `atomic` at every addition.
/// Throws: IndexError when an entry of index is not in [0, input.size(dim)), or there is no dimension `dim`; ShapeError
/// when sizes do not fit; DTypeError when dtypes differ, are bool, or alpha is floating beside integers; ValueError for
/// another algorithm; DeviceError when the tensors are on different devices.
/// Determinism: `atomic` adds in the order threads arrive (not_guaranteed). `sorted` adds by ordering rule 1; `exact`
/// gives the true sum, rounded once (rule 5; not for float64): both have the same bits on every device. The
/// deterministic levels use `exact` for an input of one dimension with at most as many elements as index, else
/// `sorted`.
/// Gradient: of input, grad; of source, alpha times grad's slices at index.
/// PyTorch: torch.index_add; in place Tensor::index_add_.
Tensor index_add(const Tensor& input, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha = 1,
                 Algorithm algorithm = Algorithm::automatic);
/// index_add of plan.index(), whose entries were sorted once; by `sorted` at every level. ShapeError when the plan is
/// not for input.size(dim).
Tensor index_add(const Tensor& input, int64_t dim, const IndexPlan& plan, const Tensor& source, Scalar alpha = 1);

/// out[v] = how many elements of input equal v, or the sum of their weights. On CUDA it waits for the device: the size
/// of the result depends on the values.
///
/// Shapes: input 1-d, weights of its size or undefined -> [max(largest value + 1, minlength)].
/// Dtypes: input uint8, int32 or int64. The result is int64 without weights, float32 for float32 weights, else float64.
/// Throws: ValueError when an element of input or minlength is negative; ShapeError when shapes do not fit; DTypeError
/// when input is of another dtype; DeviceError when the tensors are on different devices.
/// Determinism: with weights as index_add: `atomic` at not_guaranteed; at the other levels `exact` for float32 unless
/// the result is longer than input, else `sorted`. Counts are the same either way.
/// Gradient: of weights, grad at input.
/// PyTorch: torch.bincount.
Tensor bincount(const Tensor& input, const Tensor& weights = {}, int64_t minlength = 0,
                Algorithm algorithm = Algorithm::automatic);

}  // namespace ordo
