// Attention.
#pragma once

#include <optional>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// softmax(scale query key^T + mask) value along keys. Where no key takes part the result is 0. is_causal: key j takes
/// part in the result of query i where j <= i. dropout_p: each weight is 0 with that probability, by dropout's rule.
/// scale: 1 / sqrt(E) where it is not given.
///
/// Shapes: query [..., L, E], key [..., S, E], value [..., S, V] -> [..., L, V]; the dimensions before broadcast.
/// attn_mask broadcasts to [..., L, S].
/// Dtypes: floating, one for all. A mask of bool: a key takes part where it is true; of query's dtype: it is added to
/// the scores.
/// Throws: ShapeError when a tensor has fewer than two dimensions or sizes do not fit; DTypeError when dtypes differ;
/// ValueError when is_causal is set beside a mask, or dropout_p is not in [0, 1]; DeviceError when the tensors are on
/// different devices.
/// Determinism: as matmul, whose products it takes.
/// Gradient: of query, key and value, and of a floating mask.
/// PyTorch: torch.nn.functional.scaled_dot_product_attention.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, Generator* generator = nullptr);

/// What scaled_dot_product_attention multiplies value by, before dropout: softmax(scale query key^T + mask) along keys.
///
/// Shapes: query [..., L, E], key [..., S, E] -> [..., L, S].
/// Dtypes, Throws, Determinism: as scaled_dot_product_attention.
/// Gradient: of query and key, and of a floating mask.
/// PyTorch: no counterpart.
Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask = {}, bool is_causal = false,
                         std::optional<double> scale = std::nullopt);

}  // namespace ordo
