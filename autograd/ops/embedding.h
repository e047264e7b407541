#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo {

/// Rows of a table: out[i..., :] = weight[input[i...], :].
/// input: int64 or int32 of any shape, entries in [0, rows), else IndexError. weight: [rows, columns], floating.
/// padding_idx (negative counts from the end): a row that never gets a gradient; its values are used like any other's.
/// Determinism: the gradient adds the rows of a repeated index in the order threads arrive at not_guaranteed
/// (`atomic`), in the order of input by rule 1 of docs/ordering.md at the other levels (`sorted`): same bits
/// everywhere. As torch.nn.functional.embedding.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> padding_idx = std::nullopt);

}  // namespace ordo
