// Sums, means and maxima over bags of table rows, on plain tensors. The differentiable function is in
// <ordo/autograd/ops/functional/embedding.h>.
//
// Sums are linear in three things at once: with T = sum_i psw[i] <grad[bag(i)], weight[input[i]]>, embedding_bag is T's
// derivative by grad, embedding_bag_backward that by weight and embedding_bag_sample_gradient that by psw, the
// per-sample weights. So each one's gradients are the other two.
#pragma once

#include <optional>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/accumulate/index_plan.h>

namespace ordo {

enum class EmbeddingBagMode : unsigned char { sum, mean, max };

namespace kernels {

/// Which items make a bag. `input` and `offsets` as the public function takes them.
struct BagArguments {
  Tensor input, offsets;
  EmbeddingBagMode mode = EmbeddingBagMode::mean;
  bool include_last_offset = false;
  std::optional<int64_t> padding_idx;
  std::optional<IndexPlan> plan = std::nullopt;  ///< of input, for sum and mean: their backward pass need not sort
};

struct EmbeddingBagResult {
  Tensor values;
  Tensor rows;  ///< max: the row that each value comes from, int64, -1 for an empty bag; else undefined
};

EmbeddingBagResult embedding_bag(const BagArguments& bags, const Tensor& weight, const Tensor& per_sample_weights = {});

/// The gradient with respect to a weight of num_rows rows. `rows` is the forward pass's (max only).
/// algorithm: automatic, atomic, sorted or exact; `sorted` with a plan.
Tensor embedding_bag_backward(const BagArguments& bags, const Tensor& grad, const Tensor& rows, int64_t num_rows,
                              const Tensor& per_sample_weights = {}, Algorithm algorithm = Algorithm::automatic);

/// The gradient with respect to the per-sample weights, in input's shape: <grad[bag(i)], weight[input[i]]>, summed over
/// the columns by rule 1; zero for padding_idx.
Tensor embedding_bag_sample_gradient(const BagArguments& bags, const Tensor& grad, const Tensor& weight);

/// max: out[b, c] = weight[rows[b, c], c], or 0 where that is -1: the adjoint of the backward pass.
Tensor embedding_bag_take(const Tensor& weight, const Tensor& rows);

}  // namespace kernels
}  // namespace ordo
