#pragma once

#include <optional>

#include <ordo/engine/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

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

}  // namespace ordo
