#include <ordo/nn/layers/transformer.h>

#include <limits>

#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

static MultiheadAttention attention_of(int64_t d_model, int64_t nhead, const TransformerLayerOptions& o) {
  return {d_model, nhead, {.dropout = o.dropout, .bias = o.bias, .batch_first = o.batch_first}};
}
static LayerNorm norm_of(int64_t d_model, const TransformerLayerOptions& o) {
  return LayerNorm(Dims{d_model}, {.eps = o.layer_norm_eps, .bias = o.bias});
}

static TransformerLayerOptions checked(const char* op, TransformerLayerOptions options) {
  ORDO_CHECK(options.activation == "relu" || options.activation == "gelu", ValueError, op,
             "activation is \"relu\" or \"gelu\", not \"{}\"", options.activation);
  return options;
}

static std::string describe(const char* name, const MultiheadAttention& attention, const TransformerLayerOptions& o) {
  return Description(name, attention.embed_dim(), attention.num_heads())
      .with_options(o, "dim_feedforward", "dropout", "activation", "layer_norm_eps", "batch_first", "norm_first",
                    "bias");
}

template <class Layer>
static Tensor feed_forward(Layer& layer, const Tensor& x) {
  const Tensor hidden = layer.linear1(x);
  return layer.linear2(layer.dropout(layer.options().activation == "gelu" ? gelu(hidden) : relu(hidden)));
}

/// The output for queries x, of keys that are also the values.
static Tensor attend(MultiheadAttention& attention, const Tensor& x, const Tensor& keys, const Tensor& key_padding_mask,
                     const Tensor& attn_mask, bool is_causal, KeyValueCache* cache = nullptr) {
  return attention(
             x, keys, keys,
             {.key_padding_mask = key_padding_mask, .attn_mask = attn_mask, .is_causal = is_causal, .cache = cache})
      .output;
}

template <class Layer>
static void fill(const char* op, ModuleList<Layer>& layers, const Layer& first, int64_t num_layers) {
  ORDO_CHECK(num_layers > 0, ValueError, op, "needs a positive number of layers, not {}", num_layers);
  layers.push_back(first);
  for (int64_t i = 1; i < num_layers; ++i) {
    Layer next(first.self_attn.embed_dim(), first.self_attn.num_heads(), first.options());
    next.to(first.linear1.weight.dtype());
    next.to(first.linear1.weight.device());
    layers.push_back(next);
  }
}

TransformerEncoderLayer::TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options)
    : options_(checked("TransformerEncoderLayer", std::move(options))),
      self_attn(add("self_attn", attention_of(d_model, nhead, options_))),
      linear1(add("linear1", Linear(d_model, options_.dim_feedforward, {options_.bias}))),
      linear2(add("linear2", Linear(options_.dim_feedforward, d_model, {options_.bias}))),
      norm1(add("norm1", norm_of(d_model, options_))),
      norm2(add("norm2", norm_of(d_model, options_))),
      dropout(add("dropout", Dropout(options_.dropout))),
      dropout1(add("dropout1", Dropout(options_.dropout))),
      dropout2(add("dropout2", Dropout(options_.dropout))) {}

Tensor TransformerEncoderLayer::forward(const Tensor& src, const TransformerEncoderCall& call) {
  const auto attended = [&](const Tensor& x) {
    return dropout1(attend(self_attn, x, x, call.src_key_padding_mask, call.src_mask, call.is_causal,
                           call.caches.empty() ? nullptr : &call.caches[0]));
  };
  if (options_.norm_first) {
    const Tensor x = src + attended(norm1(src));
    return x + dropout2(feed_forward(*this, norm2(x)));
  }
  const Tensor x = norm1(src + attended(src));
  return norm2(x + dropout2(feed_forward(*this, x)));
}

std::string TransformerEncoderLayer::description() const {
  return describe("TransformerEncoderLayer", self_attn, options_);
}

TransformerEncoder::TransformerEncoder(const TransformerEncoderLayer& layer, int64_t num_layers,
                                       const std::optional<LayerNorm>& norm)
    : layers(add("layers", ModuleList<TransformerEncoderLayer>())), norm(add("norm", norm)) {
  fill("TransformerEncoder", layers, layer, num_layers);
}

Tensor TransformerEncoder::forward(const Tensor& src, const TransformerEncoderCall& call) {
  ORDO_CHECK(call.caches.empty() || call.caches.size() == size_t(layers.size()), ValueError, "TransformerEncoder",
             "takes a cache for each of its {} layers, not {}", layers.size(), call.caches.size());
  Tensor x = src;
  TransformerEncoderCall own = call;
  for (int64_t i = 0; i < layers.size(); ++i) {
    if (!call.caches.empty()) own.caches = call.caches.subspan(size_t(i), 1);
    x = layers[i](x, own);
  }
  return norm ? (*norm)(x) : x;
}

TransformerDecoderLayer::TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options)
    : options_(checked("TransformerDecoderLayer", std::move(options))),
      self_attn(add("self_attn", attention_of(d_model, nhead, options_))),
      multihead_attn(add("multihead_attn", attention_of(d_model, nhead, options_))),
      linear1(add("linear1", Linear(d_model, options_.dim_feedforward, {options_.bias}))),
      linear2(add("linear2", Linear(options_.dim_feedforward, d_model, {options_.bias}))),
      norm1(add("norm1", norm_of(d_model, options_))),
      norm2(add("norm2", norm_of(d_model, options_))),
      norm3(add("norm3", norm_of(d_model, options_))),
      dropout(add("dropout", Dropout(options_.dropout))),
      dropout1(add("dropout1", Dropout(options_.dropout))),
      dropout2(add("dropout2", Dropout(options_.dropout))),
      dropout3(add("dropout3", Dropout(options_.dropout))) {}

Tensor TransformerDecoderLayer::forward(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call) {
  const auto attended = [&](const Tensor& x) {
    return dropout1(attend(self_attn, x, x, call.tgt_key_padding_mask, call.tgt_mask, call.tgt_is_causal));
  };
  const auto look_up = [&](const Tensor& x) {
    return dropout2(
        attend(multihead_attn, x, memory, call.memory_key_padding_mask, call.memory_mask, call.memory_is_causal));
  };
  if (options_.norm_first) {
    const Tensor x = tgt + attended(norm1(tgt)), y = x + look_up(norm2(x));
    return y + dropout3(feed_forward(*this, norm3(y)));
  }
  const Tensor x = norm1(tgt + attended(tgt)), y = norm2(x + look_up(x));
  return norm3(y + dropout3(feed_forward(*this, y)));
}

std::string TransformerDecoderLayer::description() const {
  return describe("TransformerDecoderLayer", self_attn, options_);
}

TransformerDecoder::TransformerDecoder(const TransformerDecoderLayer& layer, int64_t num_layers,
                                       const std::optional<LayerNorm>& norm)
    : layers(add("layers", ModuleList<TransformerDecoderLayer>())), norm(add("norm", norm)) {
  fill("TransformerDecoder", layers, layer, num_layers);
}

Tensor TransformerDecoder::forward(const Tensor& tgt, const Tensor& memory, const TransformerDecoderCall& call) {
  Tensor x = tgt;
  for (TransformerDecoderLayer& layer : layers) x = layer(x, memory, call);
  return norm ? (*norm)(x) : x;
}

Tensor generate_square_subsequent_mask(int64_t length, Device device) {
  return triu(full({length, length}, -std::numeric_limits<double>::infinity(), device), 1);
}

}  // namespace ordo::nn
