// Llama and its kin (Mistral, Qwen2): rotary positions, root-mean-square norms, heads of keys that serve several of
// queries, gated hidden layers.
#pragma once

#include <ordo/nn/layers/embedding.h>
#include <ordo/nn/layers/linear.h>
#include <ordo/nn/layers/normalization.h>
#include <ordo/nn/models/language_model.h>
#include <ordo/nn/module_list.h>

namespace ordo::models {

/// The names of config.json.
struct LlamaConfig {
  std::string model_type = "llama";  ///< "llama", "mistral" or "qwen2", which differ in `attention_bias`
  int64_t vocab_size = 32000, hidden_size = 4096, intermediate_size = 11008, num_hidden_layers = 32,
          num_attention_heads = 32, max_position_embeddings = 2048;
  int64_t num_key_value_heads = 0;  ///< 0: num_attention_heads
  int64_t head_dim = 0;             ///< 0: hidden_size / num_attention_heads
  double rms_norm_eps = 1e-6;
  nn::RotaryEmbeddingOptions rotary = {};  ///< rope_theta and rope_scaling, or rope_parameters
  bool attention_bias = false;             ///< of queries, keys and values
  bool tie_word_embeddings = false;        ///< scores are products with the tokens' embeddings
};

/// Parameters and Throws of these parts: as Llama.
struct LlamaAttention : nn::ModuleOf<LlamaAttention> {
  explicit LlamaAttention(const LlamaConfig& config);
  Tensor forward(const Tensor& x, const TextPiece& piece);
  int64_t heads, key_heads;
  nn::Linear q_proj, k_proj, v_proj, o_proj;
};

/// down(silu(gate(x)) * up(x)).
struct LlamaMLP : nn::Module {
  explicit LlamaMLP(const LlamaConfig& config);
  Tensor forward(const Tensor& x) override;
  nn::Linear gate_proj, up_proj, down_proj;
};

/// Attention and the products, each after a norm and added to what came in.
struct LlamaLayer : nn::ModuleOf<LlamaLayer> {
  explicit LlamaLayer(const LlamaConfig& config);
  Tensor forward(const Tensor& x, const TextPiece& piece);
  nn::RMSNorm input_layernorm;
  LlamaAttention self_attn;
  nn::RMSNorm post_attention_layernorm;
  LlamaMLP mlp;
};

/// The part that files call "model".
struct LlamaDecoder : nn::ModuleBase {
  explicit LlamaDecoder(const LlamaConfig& config);
  nn::Embedding embed_tokens;
  nn::ModuleList<LlamaLayer> layers;
  nn::RMSNorm norm;
  nn::RotaryEmbedding rotary;
};

/// Llama.
///
/// Parameters: those of the files, "model.embed_tokens.weight", ..., "model.layers.0.self_attn.q_proj.weight", ...,
/// "lm_head.weight".
/// Throws: ValueError when a size is not positive, or heads cannot be divided.
/// Source: Touvron et al., "LLaMA: Open and Efficient Foundation Language Models", 2023.
/// PyTorch: transformers.LlamaForCausalLM.
class Llama : public LanguageModel {
 public:
  explicit Llama(const LlamaConfig& config = {});
  int64_t layer_count() const override { return config.num_hidden_layers; }
  int64_t vocabulary() const override { return config.vocab_size; }
  int64_t positions() const override { return config.max_position_embeddings; }
  std::string config_json() const override;

  const LlamaConfig config;
  LlamaDecoder model;
  nn::Linear lm_head;

 private:
  Tensor features(const Tensor& tokens, TextState* state) override;
  Tensor scores(const Tensor& features) override;
};

}  // namespace ordo::models
