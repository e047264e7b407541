#include <ordo/nn/models/llama.h>

#include <nlohmann/json.hpp>

#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/init.h>

namespace ordo::models {

static LlamaConfig checked(LlamaConfig config) {
  LlamaConfig& c = config;
  for (const int64_t size : {c.vocab_size, c.hidden_size, c.intermediate_size, c.num_hidden_layers,
                             c.num_attention_heads, c.max_position_embeddings})
    ORDO_CHECK(size > 0, ValueError, "Llama", "needs positive sizes, not {}", size);
  ORDO_CHECK(c.model_type == "llama" || c.model_type == "mistral" || c.model_type == "qwen2", ValueError, "Llama",
             "there is no model_type {}; there are llama, mistral and qwen2", c.model_type);
  ORDO_CHECK(c.attention_bias == (c.model_type == "qwen2"), ValueError, "Llama",
             "attention_bias is for the model_type qwen2, and for it alone");
  if (c.num_key_value_heads == 0) c.num_key_value_heads = c.num_attention_heads;
  if (c.head_dim == 0) c.head_dim = c.hidden_size / c.num_attention_heads;
  ORDO_CHECK(c.num_key_value_heads > 0 && c.num_attention_heads % c.num_key_value_heads == 0, ValueError, "Llama",
             "{} heads of queries cannot share {} of keys", c.num_attention_heads, c.num_key_value_heads);
  return config;
}

static nn::Linear projection(int64_t in, int64_t out, bool bias = false) {
  nn::Linear layer(in, out, {.bias = bias});
  nn::init::normal_(layer.weight, 0, 0.02);
  if (bias) nn::init::zeros_(layer.bias);
  return layer;
}

static nn::RMSNorm rms_norm_of(const LlamaConfig& c) { return nn::RMSNorm({c.hidden_size}, {.eps = c.rms_norm_eps}); }

static Tensor in_heads(const Tensor& t, int64_t heads) {
  return t.reshape({t.size(0), t.size(1), heads, -1}).transpose(1, 2);
}

LlamaAttention::LlamaAttention(const LlamaConfig& c)
    : heads(c.num_attention_heads),
      key_heads(c.num_key_value_heads),
      q_proj(add("q_proj", projection(c.hidden_size, heads * c.head_dim, c.attention_bias))),
      k_proj(add("k_proj", projection(c.hidden_size, key_heads * c.head_dim, c.attention_bias))),
      v_proj(add("v_proj", projection(c.hidden_size, key_heads * c.head_dim, c.attention_bias))),
      o_proj(add("o_proj", projection(heads * c.head_dim, c.hidden_size))) {}

Tensor LlamaAttention::forward(const Tensor& x, const TextPiece& piece) {
  const Tensor q = piece.rotation(in_heads(q_proj(x), heads));
  const Tensor k = piece.rotation(in_heads(k_proj(x), key_heads)), v = in_heads(v_proj(x), key_heads);
  return o_proj(piece.attention(q, k, v, 0));
}

LlamaMLP::LlamaMLP(const LlamaConfig& c)
    : gate_proj(add("gate_proj", projection(c.hidden_size, c.intermediate_size))),
      up_proj(add("up_proj", projection(c.hidden_size, c.intermediate_size))),
      down_proj(add("down_proj", projection(c.intermediate_size, c.hidden_size))) {}

Tensor LlamaMLP::forward(const Tensor& x) { return down_proj(silu(gate_proj(x)) * up_proj(x)); }

LlamaLayer::LlamaLayer(const LlamaConfig& c)
    : input_layernorm(add("input_layernorm", rms_norm_of(c))),
      self_attn(add("self_attn", LlamaAttention(c))),
      post_attention_layernorm(add("post_attention_layernorm", rms_norm_of(c))),
      mlp(add("mlp", LlamaMLP(c))) {}

Tensor LlamaLayer::forward(const Tensor& x, const TextPiece& piece) {
  const Tensor y = x + self_attn(input_layernorm(x), piece);
  return y + mlp(post_attention_layernorm(y));
}

LlamaDecoder::LlamaDecoder(const LlamaConfig& c)
    : embed_tokens(add("embed_tokens", nn::Embedding(c.vocab_size, c.hidden_size))),
      layers(add("layers", nn::ModuleList<LlamaLayer>())),
      norm(add("norm", rms_norm_of(c))),
      rotary(c.head_dim, c.rotary) {
  nn::init::normal_(embed_tokens.weight, 0, 0.02);
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) layers.push_back(LlamaLayer(c));
}

Llama::Llama(const LlamaConfig& c)
    : config(checked(c)),
      model(add("model", LlamaDecoder(config))),
      lm_head(add("lm_head", projection(config.hidden_size, config.vocab_size))) {
  if (config.tie_word_embeddings) lm_head.weight = model.embed_tokens.weight;
}

Tensor Llama::features(const Tensor& tokens, TextState* state) {
  TextPiece piece = piece_of(tokens, state);
  Tensor x = model.embed_tokens(tokens);
  piece.rotation = model.rotary.at(piece.positions, x);
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) x = model.layers[i](x, in_layer(piece, state, size_t(i)));
  return model.norm(x);
}

Tensor Llama::scores(const Tensor& features) { return lm_head(features); }

std::string Llama::config_json() const {
  const LlamaConfig& c = config;
  const nn::RotaryScaling& scaling = c.rotary.scaling;
  nlohmann::ordered_json rope = nullptr;
  if (scaling.original_positions > 0)
    rope = {{"rope_type", "llama3"},
            {"factor", scaling.factor},
            {"low_freq_factor", scaling.low_freq_factor},
            {"high_freq_factor", scaling.high_freq_factor},
            {"original_max_position_embeddings", scaling.original_positions}};
  else if (scaling.factor != 1)
    rope = {{"rope_type", "linear"}, {"factor", scaling.factor}};
  const std::string name = c.model_type == "qwen2" ? "Qwen2" : c.model_type == "mistral" ? "Mistral" : "Llama";
  const nlohmann::ordered_json json = {{"architectures", {name + "ForCausalLM"}},
                                       {"model_type", c.model_type},
                                       {"vocab_size", c.vocab_size},
                                       {"hidden_size", c.hidden_size},
                                       {"intermediate_size", c.intermediate_size},
                                       {"num_hidden_layers", c.num_hidden_layers},
                                       {"num_attention_heads", c.num_attention_heads},
                                       {"num_key_value_heads", c.num_key_value_heads},
                                       {"head_dim", c.head_dim},
                                       {"max_position_embeddings", c.max_position_embeddings},
                                       {"hidden_act", "silu"},
                                       {"rms_norm_eps", c.rms_norm_eps},
                                       {"rope_theta", c.rotary.base},
                                       {"rope_scaling", rope},
                                       {"attention_bias", c.attention_bias},
                                       {"sliding_window", nullptr},
                                       {"tie_word_embeddings", c.tie_word_embeddings}};
  return json.dump(2) + "\n";
}

}  // namespace ordo::models
