#include <ordo/nn/models/bert.h>

#include <nlohmann/json.hpp>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/arange.h>
#include <ordo/autograd/ops/functional/attention.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/init.h>

namespace ordo::models {

constexpr const char* kOfText = "BertForSequenceClassification";
constexpr const char* kOfTokens = "BertForTokenClassification";
constexpr const char* kMasked = "BertForMaskedLM";
constexpr const char* kFeatures = "BertModel";

static BertConfig checked(const BertConfig& c) {
  for (const int64_t size :
       {c.vocab_size, c.hidden_size, c.num_hidden_layers, c.num_attention_heads, c.intermediate_size,
        c.max_position_embeddings, c.type_vocab_size, int64_t(c.labels.size())})
    ORDO_CHECK(size > 0, ValueError, "Bert", "needs positive sizes, not {}", size);
  ORDO_CHECK(c.hidden_size % c.num_attention_heads == 0, ValueError, "Bert", "{} heads cannot share {} features",
             c.num_attention_heads, c.hidden_size);
  for (const char* const name : {kOfText, kOfTokens, kMasked, kFeatures})
    if (c.architecture == name) return c;
  ordo::detail::fail<ValueError>("Bert", "there is no architecture {}; there are {}, {}, {} and {}", c.architecture,
                                 kFeatures, kMasked, kOfTokens, kOfText);
}

static nn::Linear dense_of(int64_t in_features, int64_t out_features) {
  nn::Linear layer(in_features, out_features);
  nn::init::normal_(layer.weight, 0, 0.02);
  nn::init::zeros_(layer.bias);
  return layer;
}

static nn::Embedding embedding_of(int64_t count, const BertConfig& c, std::optional<int64_t> padding = {}) {
  nn::Embedding table(count, c.hidden_size, {.padding_idx = padding});
  nn::init::normal_(table.weight, 0, 0.02);
  const NoGrad guard;
  if (padding) table.weight.select(0, *padding).zero_();
  return table;
}

static nn::LayerNorm layer_norm_of(const BertConfig& c) {
  return nn::LayerNorm({c.hidden_size}, {.eps = c.layer_norm_eps});
}

BertEmbeddings::BertEmbeddings(const BertConfig& c)
    : word_embeddings(add("word_embeddings", embedding_of(c.vocab_size, c, c.pad_token_id))),
      position_embeddings(add("position_embeddings", embedding_of(c.max_position_embeddings, c))),
      token_type_embeddings(add("token_type_embeddings", embedding_of(c.type_vocab_size, c))),
      LayerNorm(add("LayerNorm", layer_norm_of(c))),
      dropout(add("dropout", nn::Dropout(c.hidden_dropout_prob))) {}

BertOutput::BertOutput(const BertConfig& c, int64_t in_features)
    : dense(add("dense", dense_of(in_features, c.hidden_size))),
      LayerNorm(add("LayerNorm", layer_norm_of(c))),
      dropout(add("dropout", nn::Dropout(c.hidden_dropout_prob))) {}

Tensor BertOutput::forward(const Tensor& x, const Tensor& read) { return LayerNorm(dropout(dense(x)) + read); }

BertAttention::Self::Self(const BertConfig& c)
    : query(add("query", dense_of(c.hidden_size, c.hidden_size))),
      key(add("key", dense_of(c.hidden_size, c.hidden_size))),
      value(add("value", dense_of(c.hidden_size, c.hidden_size))) {}

BertAttention::BertAttention(const BertConfig& c)
    : self(add("self", Self(c))),
      output(add("output", BertOutput(c, c.hidden_size))),
      heads(c.num_attention_heads),
      dropout(c.attention_probs_dropout_prob) {}

Tensor BertAttention::forward(const Tensor& x, const Tensor& mask) {
  const auto in_heads = [&](const Tensor& t) { return t.reshape({t.size(0), t.size(1), heads, -1}).transpose(1, 2); };
  const Tensor q = in_heads(self.query(x)), k = in_heads(self.key(x)), v = in_heads(self.value(x));
  const Tensor y = scaled_dot_product_attention(q, k, v, mask, is_training() ? dropout : 0);
  return output(y.transpose(1, 2).flatten(2), x);
}

BertLayer::Dense::Dense(int64_t in_features, int64_t out_features)
    : dense(add("dense", dense_of(in_features, out_features))) {}

BertLayer::BertLayer(const BertConfig& c)
    : attention(add("attention", BertAttention(c))),
      intermediate(add("intermediate", Dense(c.hidden_size, c.intermediate_size))),
      output(add("output", BertOutput(c, c.intermediate_size))) {}

Tensor BertLayer::forward(const Tensor& x, const Tensor& mask) {
  const Tensor y = attention(x, mask);
  return output(gelu(intermediate.dense(y)), y);
}

BertBody::Encoder::Encoder(const BertConfig& c) : layer(add("layer", nn::ModuleList<BertLayer>())) {
  for (int64_t i = 0; i < c.num_hidden_layers; ++i) layer.push_back(BertLayer(c));
}

BertBody::BertBody(const BertConfig& c)
    : embeddings(add("embeddings", BertEmbeddings(c))),
      encoder(add("encoder", Encoder(c))),
      pooler(add("pooler", c.architecture == kOfText || c.architecture == kFeatures
                               ? std::optional(BertLayer::Dense(c.hidden_size, c.hidden_size))
                               : std::nullopt)) {}

Bert::Predictions::Transform::Transform(const BertConfig& c)
    : dense(add("dense", dense_of(c.hidden_size, c.hidden_size))), LayerNorm(add("LayerNorm", layer_norm_of(c))) {}

Bert::Predictions::Predictions(const BertConfig& c)
    : bias(add_parameter("bias", zeros({c.vocab_size}))), transform(add("transform", Transform(c))) {}

Bert::Head::Head(const BertConfig& c) : predictions(add("predictions", Predictions(c))) {}

Bert::Bert(const BertConfig& c)
    : config(checked(c)),
      bert(add("bert", BertBody(config))),
      classifier(add("classifier", c.architecture == kOfText || c.architecture == kOfTokens
                                       ? std::optional(dense_of(c.hidden_size, int64_t(c.labels.size())))
                                       : std::nullopt)),
      cls(add("cls", c.architecture == kMasked ? std::optional(Head(config)) : std::nullopt)),
      dropout_(add("dropout", nn::Dropout(c.classifier_dropout.value_or(c.hidden_dropout_prob)))) {}

Tensor Bert::features(const Tensor& tokens, const BertCall& call) {
  ORDO_CHECK(tokens.defined() && tokens.dim() == 2 && tokens.size(1) > 0, ShapeError, "Bert",
             "takes tokens [N, L] of at least one position, not {}", tokens.defined() ? tokens.sizes() : Dims());
  for (const auto& [name, t] : {std::pair{"token_types", &call.token_types}, {"attention_mask", &call.attention_mask}})
    ORDO_CHECK(!t->defined() || t->sizes() == tokens.sizes(), ShapeError, "Bert", "{} are {}, the tokens {}", name,
               t->sizes(), tokens.sizes());
  const int64_t length = tokens.size(1);
  ORDO_CHECK(length <= config.max_position_embeddings, ValueError, "Bert",
             "the text has {} tokens, the model is for {} at most", length, config.max_position_embeddings);
  BertEmbeddings& e = bert.embeddings;
  const Tensor types = call.token_types.defined() ? call.token_types : zeros_like(tokens);
  const Tensor embedded = e.word_embeddings(tokens) + e.token_type_embeddings(types);
  Tensor x = e.dropout(e.LayerNorm(embedded + e.position_embeddings(arange(0, length, 1, {int64, tokens.device()}))));
  Tensor mask = call.attention_mask;
  if (mask.defined()) mask = ne(mask, 0).unsqueeze(1).unsqueeze(1);
  for (BertLayer& layer : bert.encoder.layer) x = layer(x, mask);
  return x;
}

Tensor Bert::scores(const Tensor& features) {
  if (cls) {
    Predictions& p = cls->predictions;
    const Tensor x = p.transform.LayerNorm(gelu(p.transform.dense(features)));
    return linear(x, bert.embeddings.word_embeddings.weight, p.bias);
  }
  if (!classifier) return features;
  if (!bert.pooler) return (*classifier)(dropout_(features));
  return (*classifier)(dropout_(tanh(bert.pooler->dense(features.select(1, 0)))));
}

std::string Bert::config_json() const {
  const BertConfig& c = config;
  nlohmann::ordered_json json = {{"architectures", {c.architecture}},
                                 {"model_type", "bert"},
                                 {"vocab_size", c.vocab_size},
                                 {"hidden_size", c.hidden_size},
                                 {"num_hidden_layers", c.num_hidden_layers},
                                 {"num_attention_heads", c.num_attention_heads},
                                 {"intermediate_size", c.intermediate_size},
                                 {"max_position_embeddings", c.max_position_embeddings},
                                 {"type_vocab_size", c.type_vocab_size},
                                 {"hidden_act", "gelu"},
                                 {"layer_norm_eps", c.layer_norm_eps},
                                 {"hidden_dropout_prob", c.hidden_dropout_prob},
                                 {"attention_probs_dropout_prob", c.attention_probs_dropout_prob},
                                 {"pad_token_id", nullptr},
                                 {"classifier_dropout", nullptr}};
  if (c.pad_token_id) json["pad_token_id"] = *c.pad_token_id;
  if (c.classifier_dropout) json["classifier_dropout"] = *c.classifier_dropout;
  for (size_t i = 0; classifier && i < c.labels.size(); ++i) json["id2label"][std::to_string(i)] = c.labels[i];
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ordo::models
