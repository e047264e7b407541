// GPT-2: a transformer that reads from left to right, with learnt positions.
#pragma once

#include <ordo/nn/layers/dropout.h>
#include <ordo/nn/layers/embedding.h>
#include <ordo/nn/layers/linear.h>
#include <ordo/nn/layers/normalization.h>
#include <ordo/nn/models/language_model.h>
#include <ordo/nn/module_list.h>

namespace ordo::models {

/// The names of config.json.
struct GPT2Config {
  int64_t vocab_size = 50257, n_positions = 1024, n_embd = 768, n_layer = 12, n_head = 12;
  int64_t n_inner = 0;  ///< of the hidden layer; 0: 4 n_embd
  double layer_norm_epsilon = 1e-5;
  double embd_pdrop = 0.1, attn_pdrop = 0.1, resid_pdrop = 0.1;
};

/// Parameters and Throws of these parts: as GPT2.
struct GPT2Attention : nn::ModuleOf<GPT2Attention> {
  explicit GPT2Attention(const GPT2Config& config);
  Tensor forward(const Tensor& x, const TextPiece& piece);
  int64_t heads;
  double dropout;
  nn::Linear c_attn, c_proj;
  nn::Dropout resid_dropout;
};

/// Two products with GELU (its tanh form) between them.
struct GPT2MLP : nn::Module {
  explicit GPT2MLP(const GPT2Config& config);
  Tensor forward(const Tensor& x) override;
  nn::Linear c_fc, c_proj;
  nn::Dropout dropout;
};

/// Attention and the products, each after a norm and added to what came in.
struct GPT2Block : nn::ModuleOf<GPT2Block> {
  explicit GPT2Block(const GPT2Config& config);
  Tensor forward(const Tensor& x, const TextPiece& piece);
  nn::LayerNorm ln_1;
  GPT2Attention attn;
  nn::LayerNorm ln_2;
  GPT2MLP mlp;
};

/// The part that files call "transformer".
struct GPT2Transformer : nn::ModuleBase {
  explicit GPT2Transformer(const GPT2Config& config);
  nn::Embedding wte, wpe;
  nn::Dropout drop;
  nn::ModuleList<GPT2Block> h;
  nn::LayerNorm ln_f;
};

/// GPT-2. The scores of tokens are products with their embeddings.
///
/// Parameters: those of the files, "transformer.wte.weight", ..., "transformer.h.0.attn.c_attn.weight", ...
/// Throws: ValueError when a size is not positive, or n_head does not divide n_embd.
/// Source: Radford et al., "Language Models are Unsupervised Multitask Learners", 2019.
/// PyTorch: transformers.GPT2LMHeadModel.
class GPT2 : public LanguageModel {
 public:
  explicit GPT2(const GPT2Config& config = {});
  int64_t layer_count() const override { return config.n_layer; }
  int64_t vocabulary() const override { return config.vocab_size; }
  int64_t positions() const override { return config.n_positions; }
  std::string config_json() const override;

  const GPT2Config config;
  GPT2Transformer transformer;

 private:
  Tensor features(const Tensor& tokens, TextState* state) override;
  Tensor scores(const Tensor& features) override;
};

}  // namespace ordo::models
