// Attention in several heads.
//
//   nn::MultiheadAttention attention(64, 8, {.batch_first = true});
//   Tensor y = attention(x, x, x, {.is_causal = true}).output;   // [N, L, 64] -> [N, L, 64]
#pragma once

#include <optional>
#include <utility>

#include <ordo/nn/layers/linear.h>

namespace ordo::nn {

/// What a MultiheadAttention has projected of the positions so far, so that a text which grows is not projected again:
///
///   nn::KeyValueCache cache;
///   for (...) y = attention(next, next, next, {.is_causal = true, .cache = &cache}).output;   // the new positions only
///
/// At device_to_device, and on the CPU at every level, the outputs are those of all positions at once, whatever the
/// pieces are. For use without gradients.
class KeyValueCache {
 public:
  KeyValueCache() = default;
  KeyValueCache(const KeyValueCache& other);  ///< has memory of its own
  KeyValueCache(KeyValueCache&& other) noexcept = default;
  KeyValueCache& operator=(KeyValueCache other) noexcept;
  int64_t length() const { return length_; }                       ///< positions
  Tensor keys() const { return keys_.narrow(2, 0, length_); }      ///< [N, heads, length, features]
  Tensor values() const { return values_.narrow(2, 0, length_); }  ///< the same of the values
  void clear() { *this = KeyValueCache(); }
  /// Keys and values [N, heads, length, features] of new positions; gives those of all.
  ///
  /// Throws: ShapeError when they do not fit to those before.
  std::pair<Tensor, Tensor> append(const Tensor& key, const Tensor& value);

 private:
  Tensor keys_, values_;  // with room for more
  int64_t length_ = 0;
};

struct MultiheadAttentionOptions {
  double dropout = 0;  ///< of the weights, while training
  bool bias = true;
  bool add_bias_kv = false;  ///< one more key and value for all, which are learnt: "bias_k", "bias_v" [1, 1, embed_dim]
  bool add_zero_attn = false;                   ///< one more key and value for all, which are 0
  std::optional<int64_t> kdim = {}, vdim = {};  ///< default: embed_dim
  bool batch_first = false;
};

/// What a call may leave out. S is the number of keys given; those that options add are left out for no query. In masks
/// of bool true means "left out", as in torch.nn.MultiheadAttention and unlike in scaled_dot_product_attention; masks
/// of floating dtype are added to the scores.
struct MultiheadAttentionCall {
  /// [N, S], or [S] without a batch. Of bool, keys left out are not there: padded on the left, on the right or not at
  /// all, an output has the same bits, whatever lies in the padding.
  Tensor key_padding_mask = {};
  Tensor attn_mask = {};  ///< [L, S], or [N * num_heads, L, S]
  /// Key j is left out for query i where j > i + max(0, S - L), beside the masks, unlike in PyTorch.
  bool is_causal = false;
  KeyValueCache* cache = nullptr;  ///< key and value are new positions, after those in it; S counts all
  bool need_weights = false;       ///< PyTorch's default is true, which costs a tensor of all weights
  bool average_attn_weights = true;
};

struct MultiheadAttentionResult {
  Tensor output;
  /// Undefined unless asked for. [N, L, S], the mean over the heads, or [N, num_heads, L, S]; without N where there is
  /// no batch. After dropout. Keys that options add are the last of S: first bias_k, then the zeros.
  Tensor weights;
};

/// Each query looks at all keys, in num_heads heads of embed_dim / num_heads features. Of the projected queries, keys
/// and values in each head: weights = softmax(q k^T / sqrt(head features) + masks), output = (weights v, heads side by
/// side) out_proj. Where a query may look at no key, its output is out_proj of 0.
///
/// Shapes: query [L, N, embed_dim], key [S, N, kdim], value [S, N, vdim]; output [L, N, embed_dim]. With batch_first
/// [N, L, embed_dim] and so on, without a batch [L, embed_dim] and so on. The layout and its default are PyTorch's.
/// Parameters: "in_proj_weight" [3 embed_dim, embed_dim], the projections of query, key and value one below the other;
/// where kdim or vdim is another size "q_proj_weight", "k_proj_weight" and "v_proj_weight"; all xavier_uniform_.
/// "in_proj_bias" [3 embed_dim], 0; "out_proj.weight" as Linear's; "out_proj.bias", 0; "bias_k", "bias_v",
/// xavier_normal_.
/// Throws: ValueError unless sizes are positive, num_heads divides embed_dim and dropout lies in [0, 1]; ShapeError for
/// inputs and masks that do not fit; DTypeError for masks that are neither bool nor floating; AutogradError when a cache is
/// given while gradients are recorded; ValueError for a cache beside masks or with keys that options add.
/// Determinism: that of matmul.
/// PyTorch: torch.nn.MultiheadAttention.
class MultiheadAttention : public ModuleBase {
 public:
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options = {});
  MultiheadAttentionResult forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const MultiheadAttentionCall& call = {});
  MultiheadAttentionResult operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const MultiheadAttentionCall& call = {}) {
    return run_forward([&] { return forward(query, key, value, call); });
  }
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  int64_t embed_dim() const { return embed_dim_; }
  int64_t num_heads() const { return num_heads_; }
  const MultiheadAttentionOptions& options() const { return options_; }

  Parameter in_proj_weight;                               ///< undefined where kdim or vdim is another size
  Parameter q_proj_weight, k_proj_weight, v_proj_weight;  ///< undefined otherwise
  Parameter in_proj_bias;                                 ///< undefined without biases
  Parameter bias_k, bias_v;                               ///< undefined without add_bias_kv
  Linear out_proj;

 private:
  struct Projected {
    Tensor query, key, value;
  };
  Projected project(const Tensor& query, const Tensor& key, const Tensor& value) const;

  int64_t embed_dim_, num_heads_;
  MultiheadAttentionOptions options_;
};

}  // namespace ordo::nn
