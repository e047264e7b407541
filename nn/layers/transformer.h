// Transformers.
//
//   nn::TransformerEncoder encoder(nn::TransformerEncoderLayer(64, 8, {.batch_first = true}), 6);
//   Tensor y = encoder(x, {.is_causal = true});   // [N, L, 64] -> [N, L, 64]
#pragma once

#include <optional>
#include <span>
#include <string>

#include <ordo/nn/layers/dropout.h>
#include <ordo/nn/layers/multihead_attention.h>
#include <ordo/nn/layers/normalization.h>
#include <ordo/nn/module_list.h>

namespace ordo::nn {

struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  std::string activation = "relu";  ///< or "gelu"
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
};

/// Masks of an encoder's attention, by the rules of MultiheadAttentionCall: true is left out.
struct TransformerEncoderCall {
  Tensor src_mask = {};
  Tensor src_key_padding_mask = {};
  bool is_causal = false;
  std::span<KeyValueCache> caches = {};  ///< one for each layer, or none: src is what follows on what they hold
};

/// Attention of a sequence to itself, then a network on each of its elements; what went in is added and normalised.
///   n = norm1(x + dropout1(self_attn(x, x, x)))
///   y = norm2(n + dropout2(linear2(dropout(activation(linear1(n))))))
/// With norm_first: a = x + dropout1(self_attn(norm1(x), ...)), y = a + dropout2(linear2(...(linear1(norm2(a))))).
///
/// Shapes: [L, N, d_model], with batch_first [N, L, d_model], without a batch [L, d_model].
/// Parameters: "self_attn.in_proj_weight", ..., "linear1.weight", "linear2.weight", "norm1.weight", ..., as those
/// modules.
/// Throws: ValueError for another activation; as MultiheadAttention, Linear and Dropout.
/// PyTorch: torch.nn.TransformerEncoderLayer.
/// Source: Vaswani et al., "Attention is all you need", 2017.
class TransformerEncoderLayer : public Module {
 public:
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {});
  Tensor forward(const Tensor& src) override { return forward(src, TransformerEncoderCall()); }
  Tensor forward(const Tensor& src, const TransformerEncoderCall& call);
  using Module::operator();
  Tensor operator()(const Tensor& src, const TransformerEncoderCall& call) {
    return run_forward([&] { return forward(src, call); });
  }
  std::string description() const override;
  const TransformerLayerOptions& options() const { return options_; }

 private:
  TransformerLayerOptions options_;

 public:
  MultiheadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;
  Dropout dropout, dropout1, dropout2;
};

/// num_layers layers one after another, then `norm`. The first layer is `layer`; the others are made with its options
/// and draw initial values of their own, where PyTorch's begin as copies of the first.
///
/// Parameters: "layers.0.self_attn.in_proj_weight", ..., "norm.weight", ...
/// Throws: ValueError when num_layers is not positive, or there are caches but not one for each layer; forward as the
/// layers.
/// PyTorch: torch.nn.TransformerEncoder.
struct TransformerEncoder : Module {
  TransformerEncoder(const TransformerEncoderLayer& layer, int64_t num_layers,
                     const std::optional<LayerNorm>& norm = std::nullopt);
  Tensor forward(const Tensor& src) override { return forward(src, TransformerEncoderCall()); }
  Tensor forward(const Tensor& src, const TransformerEncoderCall& call);
  using Module::operator();
  Tensor operator()(const Tensor& src, const TransformerEncoderCall& call) {
    return run_forward([&] { return forward(src, call); });
  }

  ModuleList<TransformerEncoderLayer> layers;
  std::optional<LayerNorm> norm;
};

/// Masks of a decoder's attention to itself (tgt) and to the memory.
struct TransformerDecoderCall {
  Tensor tgt_mask = {}, memory_mask = {};
  Tensor tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool tgt_is_causal = false, memory_is_causal = false;
};

/// As TransformerEncoderLayer, with attention to an encoder's output, the "memory", between the two, and three norms.
///
/// Shapes: tgt and memory as TransformerEncoderLayer's input.
/// Parameters: those of TransformerEncoderLayer, "multihead_attn...." and "norm3....".
/// Throws: as TransformerEncoderLayer.
/// PyTorch: torch.nn.TransformerDecoderLayer.
class TransformerDecoderLayer : public ModuleBase {
 public:
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {});
  Tensor forward(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call = {});
  Tensor operator()(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call = {}) {
    return run_forward([&] { return forward(tgt, memory, call); });
  }
  std::string description() const override;
  const TransformerLayerOptions& options() const { return options_; }

 private:
  TransformerLayerOptions options_;

 public:
  MultiheadAttention self_attn, multihead_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout, dropout1, dropout2, dropout3;
};

/// num_layers decoder layers, made as those of TransformerEncoder.
///
/// Parameters, Throws: as TransformerEncoder.
/// PyTorch: torch.nn.TransformerDecoder.
struct TransformerDecoder : ModuleBase {
  TransformerDecoder(const TransformerDecoderLayer& layer, int64_t num_layers,
                     const std::optional<LayerNorm>& norm = std::nullopt);
  Tensor forward(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call = {});
  Tensor operator()(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call = {}) {
    return run_forward([&] { return forward(tgt, memory, call); });
  }

  ModuleList<TransformerDecoderLayer> layers;
  std::optional<LayerNorm> norm;
};

/// 0 where key j <= query i, else -inf; is_causal does the same without a mask.
///
/// Shapes, Dtypes: float32 [length, length].
/// PyTorch: torch.nn.Transformer.generate_square_subsequent_mask.
Tensor generate_square_subsequent_mask(int64_t length, Device device = cpu);

}  // namespace ordo::nn
