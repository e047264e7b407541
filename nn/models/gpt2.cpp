#include <ordo/nn/models/gpt2.h>

#include <nlohmann/json.hpp>

#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/init.h>

namespace ordo::models {

static GPT2Config checked(GPT2Config config) {
  for (const int64_t size : {config.vocab_size, config.n_positions, config.n_embd, config.n_layer, config.n_head})
    ORDO_CHECK(size > 0, ValueError, "GPT2", "needs positive sizes, not {}", size);
  ORDO_CHECK(config.n_embd % config.n_head == 0, ValueError, "GPT2", "{} heads cannot share {} features", config.n_head,
             config.n_embd);
  if (config.n_inner <= 0) config.n_inner = 4 * config.n_embd;
  return config;
}

static nn::Linear linear_of(int64_t in_features, int64_t out_features) {
  nn::Linear layer(in_features, out_features, {.transposed = true});
  nn::init::normal_(layer.weight, 0, 0.02);
  nn::init::zeros_(layer.bias);
  return layer;
}

static nn::LayerNorm layer_norm_of(const GPT2Config& c) {
  return nn::LayerNorm({c.n_embd}, {.eps = c.layer_norm_epsilon});
}

GPT2Attention::GPT2Attention(const GPT2Config& c)
    : heads(c.n_head),
      dropout(c.attn_pdrop),
      c_attn(add("c_attn", linear_of(c.n_embd, 3 * c.n_embd))),
      c_proj(add("c_proj", linear_of(c.n_embd, c.n_embd))),
      resid_dropout(add("resid_dropout", nn::Dropout(c.resid_pdrop))) {}

Tensor GPT2Attention::forward(const Tensor& x, const TextPiece& piece) {
  const auto in_heads = [&](const Tensor& t) { return t.reshape({t.size(0), t.size(1), heads, -1}).transpose(1, 2); };
  const TensorList parts = c_attn(x).chunk(3, -1);
  const Tensor y =
      piece.attention(in_heads(parts[0]), in_heads(parts[1]), in_heads(parts[2]), is_training() ? dropout : 0);
  return resid_dropout(c_proj(y));
}

GPT2MLP::GPT2MLP(const GPT2Config& c)
    : c_fc(add("c_fc", linear_of(c.n_embd, c.n_inner))),
      c_proj(add("c_proj", linear_of(c.n_inner, c.n_embd))),
      dropout(add("dropout", nn::Dropout(c.resid_pdrop))) {}

Tensor GPT2MLP::forward(const Tensor& x) { return dropout(c_proj(gelu(c_fc(x), GELUApproximate::tanh))); }

GPT2Block::GPT2Block(const GPT2Config& c)
    : ln_1(add("ln_1", layer_norm_of(c))),
      attn(add("attn", GPT2Attention(c))),
      ln_2(add("ln_2", layer_norm_of(c))),
      mlp(add("mlp", GPT2MLP(c))) {}

Tensor GPT2Block::forward(const Tensor& x, const TextPiece& piece) {
  const Tensor y = x + attn(ln_1(x), piece);
  return y + mlp(ln_2(y));
}

GPT2Transformer::GPT2Transformer(const GPT2Config& c)
    : wte(add("wte", nn::Embedding(c.vocab_size, c.n_embd))),
      wpe(add("wpe", nn::Embedding(c.n_positions, c.n_embd))),
      drop(add("drop", nn::Dropout(c.embd_pdrop))),
      h(add("h", nn::ModuleList<GPT2Block>())),
      ln_f(add("ln_f", layer_norm_of(c))) {
  nn::init::normal_(wte.weight, 0, 0.02);
  nn::init::normal_(wpe.weight, 0, 0.01);
  for (int64_t i = 0; i < c.n_layer; ++i) h.push_back(GPT2Block(c));
}

GPT2::GPT2(const GPT2Config& c) : config(checked(c)), transformer(add("transformer", GPT2Transformer(config))) {}

Tensor GPT2::features(const Tensor& tokens, TextState* state) {
  const TextPiece piece = piece_of(tokens, state);
  Tensor x = transformer.drop(transformer.wte(tokens) + transformer.wpe(piece.positions));
  for (int64_t i = 0; i < config.n_layer; ++i) x = transformer.h[i](x, in_layer(piece, state, size_t(i)));
  return transformer.ln_f(x);
}

Tensor GPT2::scores(const Tensor& features) { return linear(features, transformer.wte.weight); }

std::string GPT2::config_json() const {
  const nlohmann::ordered_json json = {{"architectures", {"GPT2LMHeadModel"}},
                                       {"model_type", "gpt2"},
                                       {"vocab_size", config.vocab_size},
                                       {"n_positions", config.n_positions},
                                       {"n_embd", config.n_embd},
                                       {"n_layer", config.n_layer},
                                       {"n_head", config.n_head},
                                       {"n_inner", config.n_inner},
                                       {"activation_function", "gelu_new"},
                                       {"layer_norm_epsilon", config.layer_norm_epsilon},
                                       {"embd_pdrop", config.embd_pdrop},
                                       {"attn_pdrop", config.attn_pdrop},
                                       {"resid_pdrop", config.resid_pdrop},
                                       {"tie_word_embeddings", true}};
  return json.dump(2) + "\n";
}

}  // namespace ordo::models
