// Rows of a table by index, and sums of them.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/embedding_bag/embedding_bag.h>

namespace ordo {

/// Rows of a table: out[i..., :] = weight[input[i...], :].
/// input: int64 or int32 of any shape, entries in [0, rows), else IndexError. weight: [rows, columns], floating.
/// padding_idx (negative counts from the end): a row that never gets a gradient; its values are used like any other's.
/// Determinism: the gradient adds the rows of a repeated index in the order threads arrive at not_guaranteed
/// (`atomic`), in the order of input by rule 1 of docs/ordering.md at the other levels (`sorted`; of one
/// column by rule 5, `exact`): same bits everywhere. As torch.nn.functional.embedding.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

/// The same for plan.index(), whose entries have been sorted: then so is the gradient's order. The gradient adds by
/// `sorted` at every level. ShapeError unless the plan is for as many rows as weight has.
Tensor embedding(const IndexPlan& plan, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

/// For every bag of indices, the sum, mean or maximum of the rows weight[index, :]: result [bags, columns].
/// input: int64 or int32. Two dimensions [bags, items]: every row is a bag, without offsets. One dimension: bag b has
/// the items [offsets[b], offsets[b + 1]), the last bag those up to the end; offsets (int64 or int32) begin with 0 and
/// do not descend. include_last_offset: the last offset only ends the last bag. weight: [rows, columns], floating. An
/// empty bag gives zeros. per_sample_weights, of input's shape and weight's dtype, multiply the rows; mode sum only.
/// padding_idx (negative counts from the end): items with that index are left out, and its row gets no gradient.
/// The mean divides by the number of items that are not left out. max: the first of equal rows gets the gradient; NaN
/// is the maximum. Sums are in the order of the items, by rule 1 of docs/ordering.md. Determinism: the gradient with
/// respect to weight adds as index_add does: in the order threads arrive at not_guaranteed (`atomic`), in the order of
/// the items at the other levels (`sorted`; `exact` for one column): same bits everywhere. Errors: DTypeError,
/// ShapeError, ValueError; IndexError for an index, an offset or padding_idx out of range. As
/// torch.nn.functional.embedding_bag.
Tensor embedding_bag(const Tensor& input, const Tensor& weight, const Tensor& offsets = {},
                     EmbeddingBagMode mode = EmbeddingBagMode::mean, const Tensor& per_sample_weights = {},
                     bool include_last_offset = false, std::optional<int64_t> padding_idx = std::nullopt);

/// The same for plan.index(), whose entries have been sorted: then so is the gradient's order. The gradient adds by
/// `sorted` at every level. mode: sum or mean, else ValueError. ShapeError unless the plan is for as many rows as
/// weight has.
Tensor embedding_bag(const IndexPlan& plan, const Tensor& weight, const Tensor& offsets = {},
                     EmbeddingBagMode mode = EmbeddingBagMode::mean, const Tensor& per_sample_weights = {},
                     bool include_last_offset = false, std::optional<int64_t> padding_idx = std::nullopt);

}  // namespace ordo
