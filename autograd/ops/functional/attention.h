// Attention.
#pragma once

#include <optional>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// softmax(scale query key^T + mask) value along keys: query [..., L, E], key [..., S, E], value [..., S, V] ->
/// [..., L, V]; the dimensions before broadcast. scale: 1 / sqrt(E) where it is not given.
///
/// attn_mask broadcasts to [..., L, S]: of bool, a key takes part where it is true; of the query's dtype, it is added
/// to the scores. is_causal: key j takes part in the result of query i where j <= i; not beside a mask (ValueError).
/// Where no key takes part the result is 0. dropout_p: each weight is 0 with that probability, by dropout's rule.
///
/// Floating dtypes, one for all (DTypeError); ShapeError for fewer than two dimensions or sizes that do not fit.
/// Products are matmul's, and so is their determinism. As torch.nn.functional.scaled_dot_product_attention.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, Generator* generator = nullptr);

/// What scaled_dot_product_attention multiplies the values by, before dropout: softmax(scale query key^T + mask) along
/// keys, [..., L, S]. Masks, dtypes, errors and determinism are as there.
Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask = {}, bool is_causal = false,
                         std::optional<double> scale = std::nullopt);

}  // namespace ordo
