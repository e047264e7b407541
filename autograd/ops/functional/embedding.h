// Rows of a table by index, and sums of them. ValueError for an undefined input or weight, DeviceError for tensors on
// different devices.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>

namespace ordo {

/// Rows of a table: out[i..., :] = weight[input[i...], :].
///
/// The row padding_idx, which counts from the end where it is negative, never gets a gradient; its values are used.
/// max_norm: before, each row of input whose norm (that of norm_type) is greater is multiplied, once, by max_norm /
/// (norm + 1e-7) in weight itself. The gradient knows nothing of that.
///
/// Shapes: input any, weight [rows, columns] -> [input's sizes..., columns].
/// Dtypes: input int64 or int32; weight floating.
/// Throws: IndexError when an entry is outside of [0, rows), or padding_idx of [-rows, rows); DTypeError when a dtype
/// is another; ShapeError when weight is no matrix, or the result has too many dimensions; ValueError when max_norm is
/// negative or NaN, or norm_type not positive.
/// Determinism: the same bits on every device at every level. The gradient adds a repeated index's rows in the order
/// threads arrive at not_guaranteed (`atomic`), else in the order of input by ordering rule 1 (`sorted`): same bits
/// everywhere.
/// Gradient: of weight, grad's rows added by index.
/// PyTorch: torch.nn.functional.embedding.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt,
                 std::optional<double> max_norm = std::nullopt, double norm_type = 2);

/// embedding() of plan.index(), whose gradient adds by `sorted` at every level, without sorting again. ShapeError unless
/// the plan is for as many rows as weight has.
Tensor embedding(const IndexPlan& plan, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

struct EmbeddingBagFuncOptions {
  Tensor offsets = {};  ///< where bags begin, of an input of one dimension
  EmbeddingBagMode mode = EmbeddingBagMode::mean;
  Tensor per_sample_weights = {};
  bool include_last_offset = false;         ///< offsets has one more entry, the end of the last bag
  std::optional<int64_t> padding_idx = {};  ///< negative: counted from the end
};

/// For every bag of indices, the sum, mean or maximum of the rows weight[index, :].
///
/// Bags are the rows of a matrix of indices. Of one dimension bag b has the items [offsets[b], offsets[b + 1]), the
/// last one those up to the end; with include_last_offset the last offset only ends the last bag. per_sample_weights
/// multiply the rows. Items of index padding_idx (negative: from the end) are left out, and its row gets no gradient.
/// The mean divides by the number of items not left out. A NaN is the maximum. An empty bag gives zeros.
///
/// Shapes: input [bags, items] without offsets, or [items] with offsets; weight [rows, columns] -> [bags, columns].
/// per_sample_weights have input's sizes.
/// Dtypes: input and offsets int64 or int32; weight floating, per_sample_weights of its dtype.
/// Throws: DTypeError when a dtype, ShapeError when a shape is another; IndexError when an index or padding_idx is out
/// of range, or offsets do not begin with 0, descend or pass the end; ValueError when per_sample_weights are given to
/// another mode than sum, include_last_offset without offsets, or the mode is none.
/// Determinism: the same bits on every device at every level; ordering rule 1, over the items of a bag. The gradient of
/// weight as embedding's; of per_sample_weights a run over the columns by rule 1.
/// Gradient: of weight, grad's rows added by index; of the maximum, at the first of equal rows. Of per_sample_weights,
/// the products of grad's rows and weight's.
/// PyTorch: torch.nn.functional.embedding_bag.
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const EmbeddingBagFuncOptions& options = {});

/// embedding_bag() of plan.index(), whose gradient adds by `sorted`, without sorting again. ShapeError unless
/// the plan is for as many rows as weight has; ValueError for mode max.
Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const EmbeddingBagFuncOptions& options = {});

}  // namespace ordo
