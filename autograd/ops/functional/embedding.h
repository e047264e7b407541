// Rows of a table by index, and sums of them.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>

namespace ordo {

/// out[i..., :] = weight[input[i...], :]: rows of a table.
///
/// Shapes: input of any shape, weight [rows, columns]; the result has input's sizes, then columns.
/// Dtypes: input int64 or int32; weight floating.
/// Throws: IndexError when an entry of input is not in [0, rows), or padding_idx not in [-rows, rows); ShapeError,
/// DTypeError, DeviceError when tensors do not fit.
/// Determinism: the gradient adds the rows of a repeated index in the order threads arrive at not_guaranteed
/// (`atomic`), else in the order of input by ordering rule 1 (`sorted`; of one column by rule 5, `exact`): the same
/// bits everywhere.
/// Gradient: of weight, grad's rows added at their indices; row padding_idx (negative counts from the end) gets none,
/// though its values are used.
/// PyTorch: torch.nn.functional.embedding.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

/// embedding of plan.index(), whose entries were sorted once. The gradient adds by `sorted` at every level. ShapeError
/// when the plan is not for as many rows as weight has.
Tensor embedding(const IndexPlan& plan, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

/// For every bag of indices, the sum, mean or maximum of the rows weight[index, :]. The mean divides by the number of
/// items that are not left out. An empty bag gives zeros. max: a NaN is the maximum.
///
/// Shapes: input [bags, items] without offsets; or of one dimension, where bag b has the items [offsets[b], offsets[b +
/// 1]), the last bag those up to the end. offsets begin with 0 and do not descend; with include_last_offset, the last
/// one only ends the last bag. weight [rows, columns]; result [bags, columns]. per_sample_weights, of input's shape,
/// multiply the rows; mode sum only.
/// Dtypes: input and offsets int64 or int32; weight floating; per_sample_weights of weight's dtype.
/// Throws: IndexError when an index, an offset or padding_idx is out of range; ValueError when the mode does not exist
/// or does not take per_sample_weights; ShapeError, DTypeError, DeviceError when tensors do not fit.
/// Determinism: sums are in the order of the items, by ordering rule 1. The gradient of weight adds in the order
/// threads arrive at not_guaranteed (`atomic`), else in the order of the items (`sorted`; `exact` for one column): the
/// same bits everywhere.
/// Gradient: of weight and per_sample_weights. max: the first of equal rows gets it. Items at padding_idx (negative
/// counts from the end) are left out, and its row gets none.
/// PyTorch: torch.nn.functional.embedding_bag.
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets = {},
                     EmbeddingBagMode mode = EmbeddingBagMode::mean, const Tensor& per_sample_weights = {},
                     bool include_last_offset = false, std::optional<int64_t> padding_idx = std::nullopt);

/// embedding_bag of plan.index(), whose entries were sorted once. The gradient adds by `sorted` at every level.
/// ValueError for mode max; ShapeError when the plan is not for as many rows as weight has.
Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const Tensor& offsets = {},
                     EmbeddingBagMode mode = EmbeddingBagMode::mean, const Tensor& per_sample_weights = {},
                     bool include_last_offset = false, std::optional<int64_t> padding_idx = std::nullopt);

}  // namespace ordo
