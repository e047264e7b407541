// MultiheadAttention: each query looks at all keys, in num_heads heads of embed_dim / num_heads features
//   queries, keys and values, projected, split into heads: weights = softmax(q k^T / sqrt(head features) + masks),
//   output = (weights v, heads side by side) out_proj
// query [L, N, embed_dim], key [S, N, kdim], value [S, N, vdim] -> output [L, N, embed_dim]; with batch_first
// [N, L, embed_dim] and so on; without a batch [L, embed_dim] and so on. The layout is PyTorch's, and so is its
// default. "in_proj_weight" [3 embed_dim, embed_dim] holds the projections of query, key and value, one below the
// other; where kdim or vdim is another size they are "q_proj_weight", "k_proj_weight" and "v_proj_weight".
// "in_proj_bias" [3 embed_dim], "out_proj.weight", "out_proj.bias". Projections start as xavier_uniform_, biases as 0,
// out_proj.weight as Linear's, bias_k and bias_v as xavier_normal_.
//
//   nn::MultiheadAttention attention(64, 8, {.batch_first = true});
//   Tensor y = attention(x, x, x, {.is_causal = true}).output;   // [N, L, 64] -> [N, L, 64]
#pragma once

#include <optional>

#include <ordo/nn/layers/linear.h>

namespace ordo::nn {

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
  Tensor key_padding_mask = {};  ///< [N, S], or [S] without a batch
  Tensor attn_mask = {};         ///< [L, S], or [N * num_heads, L, S]
  bool is_causal = false;        ///< key j is left out for query i where j > i; beside the masks, unlike in PyTorch
  bool need_weights = false;     ///< PyTorch's default is true, which costs a tensor of all weights
  bool average_attn_weights = true;
};

struct MultiheadAttentionResult {
  Tensor output;
  /// Undefined unless asked for. [N, L, S], the mean over the heads, or [N, num_heads, L, S]; without N where there is
  /// no batch. After dropout. Keys that options add are the last of S: first bias_k, then the zeros.
  Tensor weights;
};

class MultiheadAttention : public ModuleBase {
 public:
  /// ValueError unless sizes are positive, num_heads divides embed_dim and dropout lies in [0, 1].
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, MultiheadAttentionOptions options = {});
  /// Where a query may look at no key its output is out_proj of 0. ShapeError for inputs and masks that do not fit,
  /// DTypeError for masks that are neither bool nor floating. Determinism is that of matmul.
  MultiheadAttentionResult forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const MultiheadAttentionCall& call = {});
  MultiheadAttentionResult operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const MultiheadAttentionCall& call = {}) {
    const Call running(*this);
    return forward(query, key, value, call);
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
