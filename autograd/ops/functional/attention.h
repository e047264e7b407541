// Attention. ValueError for an undefined tensor, DeviceError for tensors on different devices.
#pragma once

#include <optional>

#include <ordo/engine/run/generator.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// softmax(scale query key^T + mask) value, along the keys; scale is 1 / sqrt(E) where it is not given.
///
/// attn_mask of bool: a key takes part where it is true. With a mask for all queries alike, [..., 1, S] or [S], keys
/// that take no part are not there: sums count from the first that does, whatever the others hold, NaN included. Of the
/// query's dtype, a mask is added to the scores. is_causal: key j takes part in the result of query i where
/// j <= i + max(0, S - L), so the last query is that of the last key. Where no key takes part the result is 0.
/// dropout_p: each weight becomes 0 with that probability, as dropout does it. enable_gqa: dimension -3 is heads, and
/// each head of key and value serves the same number of heads of the query, one after the other. Without dropout, and
/// where attn_mask wants no gradient, many scores are computed a block of queries at a time, and again for the
/// gradients.
///
/// Shapes: query [..., L, E], key [..., S, E], value [..., S, V] -> [..., L, V]; leading dimensions broadcast.
/// attn_mask broadcasts to [..., L, S]. With enable_gqa: query [..., h, L, E], key and value [..., g, S, ...], where g
/// divides h.
/// Dtypes: floating, one for all; attn_mask may be bool.
/// Throws: ShapeError when a tensor has fewer than two dimensions or sizes do not fit; DTypeError when dtypes differ or
/// are not floating; ValueError when a mask stands beside is_causal, or dropout_p is outside of [0, 1].
/// Determinism: products as matmul's; softmax by ordering rule 2.
/// Gradient: that of the formula, of attn_mask too where it is added.
/// PyTorch: torch.nn.functional.scaled_dot_product_attention, where is_causal means j <= i; for fewer queries than keys
/// its torch.nn.attention.bias.causal_lower_right.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt, Generator* generator = nullptr,
                                    bool enable_gqa = false);

/// What scaled_dot_product_attention multiplies the values by, before dropout: softmax(scale query key^T + mask).
///
/// Shapes: query [..., L, E], key [..., S, E] -> [..., L, S]; leading dimensions broadcast, and attn_mask to the
/// result.
/// Dtypes, Throws, Determinism, Gradient: as scaled_dot_product_attention.
/// PyTorch: no counterpart.
Tensor attention_weights(const Tensor& query, const Tensor& key, const Tensor& attn_mask = {}, bool is_causal = false,
                         std::optional<double> scale = std::nullopt);

/// scaled_dot_product_attention of sequences that lie one behind the other. Sequence i has the queries from cu_seq_q[i]
/// up to cu_seq_q[i + 1] and the keys likewise; it looks at no other. Its bits are those that it has alone.
///
/// Shapes: query [T, H, E], key [S, H, E], value [S, H, V] -> [T, H, V]; cu_seq_q and cu_seq_k [sequences + 1], rising
/// from 0 to T and S; max_q and max_k, at least the longest sequence's queries and keys. Values are not checked.
/// Dtypes: floating, one for all; cu_seq_q and cu_seq_k int32 or int64.
/// Throws: ShapeError when sizes do not fit; DTypeError.
/// Determinism, Gradient: as scaled_dot_product_attention.
/// PyTorch: torch.nn.attention.varlen.varlen_attn.
Tensor varlen_attn(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& cu_seq_q,
                   const Tensor& cu_seq_k, int64_t max_q, int64_t max_k, bool is_causal = false,
                   std::optional<double> scale = std::nullopt);

}  // namespace ordo
