// Rows of a table, picked by index, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/embedding.h>.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo::kernels {

/// Where input is skip_idx, the result is zero: then this is the adjoint of embedding_backward with that padding_idx.
Tensor embedding(const Tensor& input, const Tensor& weight, std::optional<int64_t> skip_idx = std::nullopt);

/// The gradient with respect to a weight of num_rows rows: row r is the sum of grad's rows where input is r, and zero
/// for padding_idx. algorithm: automatic, atomic, sorted or exact.
Tensor embedding_backward(const Tensor& grad, const Tensor& input, int64_t num_rows,
                          std::optional<int64_t> padding_idx = std::nullopt,
                          Algorithm algorithm = Algorithm::automatic);
/// With an index that has been sorted; num_rows is the plan's size.
Tensor embedding_backward(const Tensor& grad, const IndexPlan& plan, std::optional<int64_t> padding_idx = std::nullopt);

/// padding_idx made non-negative, or -1 for none; IndexError naming `op` when out of range.
int64_t wrap_padding_idx(const char* op, std::optional<int64_t> padding_idx, int64_t num_rows);

}  // namespace ordo::kernels
