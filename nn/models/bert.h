// BERT: an encoder of text, in which each position sees all others.
//
//   const auto model = models::open_bert("checkpoints/bert");          // nn/models/open.h
//   const Tensor scores = (*model)(tokens, {.attention_mask = mask});   // [N, L] -> [N, labels]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <ordo/nn/layers/dropout.h>
#include <ordo/nn/layers/embedding.h>
#include <ordo/nn/layers/linear.h>
#include <ordo/nn/layers/normalization.h>
#include <ordo/nn/module_list.h>

namespace ordo::models {

/// The names of config.json.
struct BertConfig {
  /// What forward() gives: "BertModel" the features of positions, "BertForMaskedLM" scores of tokens at each,
  /// "BertForTokenClassification" scores of labels at each, "BertForSequenceClassification" those of the text.
  std::string architecture = "BertForMaskedLM";
  int64_t vocab_size = 30522, hidden_size = 768, num_hidden_layers = 12, num_attention_heads = 12,
          intermediate_size = 3072, max_position_embeddings = 512, type_vocab_size = 2;
  std::optional<int64_t> pad_token_id = 0;  ///< whose embedding gets no gradient
  double layer_norm_eps = 1e-12;
  double hidden_dropout_prob = 0.1, attention_probs_dropout_prob = 0.1;
  std::optional<double> classifier_dropout = {};                  ///< default: hidden_dropout_prob
  std::vector<std::string> labels = std::vector<std::string>(2);  ///< id2label
};

/// What a call may leave out.
struct BertCall {
  Tensor token_types = {};     ///< [N, L], int64 or int32: which of two texts a token is of; default: all of the first
  Tensor attention_mask = {};  ///< [N, L], bool or integer: true where there is text; default: everywhere
};

/// Parameters and Throws of these parts: as Bert.
struct BertEmbeddings : nn::ModuleBase {
  explicit BertEmbeddings(const BertConfig& config);
  nn::Embedding word_embeddings, position_embeddings, token_type_embeddings;
  nn::LayerNorm LayerNorm;
  nn::Dropout dropout;
};

/// LayerNorm(dropout(dense(x)) + what the part before it read).
struct BertOutput : nn::ModuleOf<BertOutput> {
  BertOutput(const BertConfig& config, int64_t in_features);
  Tensor forward(const Tensor& x, const Tensor& read);
  nn::Linear dense;
  nn::LayerNorm LayerNorm;
  nn::Dropout dropout;
};

/// Attention of all positions to those that `mask` [N, 1, 1, L] lets take part.
struct BertAttention : nn::ModuleOf<BertAttention> {
  explicit BertAttention(const BertConfig& config);
  Tensor forward(const Tensor& x, const Tensor& mask);
  struct Self : nn::ModuleBase {
    explicit Self(const BertConfig& config);
    nn::Linear query, key, value;
  } self;
  BertOutput output;
  int64_t heads;
  double dropout;
};

/// Attention, then two products with GELU between them.
struct BertLayer : nn::ModuleOf<BertLayer> {
  explicit BertLayer(const BertConfig& config);
  Tensor forward(const Tensor& x, const Tensor& mask);
  struct Dense : nn::ModuleBase {
    Dense(int64_t in_features, int64_t out_features);
    nn::Linear dense;
  };
  BertAttention attention;
  Dense intermediate;
  BertOutput output;
};

/// The part that files call "bert".
struct BertBody : nn::ModuleBase {
  explicit BertBody(const BertConfig& config);
  BertEmbeddings embeddings;
  struct Encoder : nn::ModuleBase {
    explicit Encoder(const BertConfig& config);
    nn::ModuleList<BertLayer> layer;
  } encoder;
  std::optional<BertLayer::Dense> pooler;  ///< of the first position's features
};

/// BERT with one of its heads.
///
/// Shapes: tokens [N, L]; features [N, L, hidden_size], scores [N, L, vocab_size], [N, L, labels] or [N, labels].
/// Dtypes: tokens int64 or int32.
/// Parameters: those of the files, "bert.embeddings.word_embeddings.weight", ..., "classifier.bias".
/// Throws: ValueError when a size is not positive, the heads do not divide the features, or there is no such
/// architecture; forward: ShapeError when tokens are no matrix or a tensor of the call has other sizes; ValueError when
/// the text is longer than max_position_embeddings; as embedding.
/// Determinism: that of products (docs/ordering.md, rule 3). A text's results do not depend on the texts beside it, nor,
/// with attention_mask, on what it is padded with: on the CPU at every level, on CUDA at device_to_device.
/// Source: Devlin, Chang, Lee, Toutanova, "BERT: Pre-training of Deep Bidirectional Transformers for Language
/// Understanding", 2019.
/// PyTorch: transformers.BertModel, BertForMaskedLM, BertForTokenClassification, BertForSequenceClassification.
class Bert : public nn::Module {
 public:
  explicit Bert(const BertConfig& config = {});
  Tensor forward(const Tensor& tokens) override { return scores(features(tokens, {})); }
  using nn::Module::operator();
  Tensor operator()(const Tensor& tokens, const BertCall& call) {
    return run_forward([&] { return scores(features(tokens, call)); });
  }
  /// Of the last layer, whatever the head is.
  Tensor features(const Tensor& tokens, const BertCall& call);
  /// The text of config.json, as transformers reads it.
  std::string config_json() const;

  const BertConfig config;
  BertBody bert;
  std::optional<nn::Linear> classifier;
  /// Scores of tokens are products with their embeddings.
  struct Predictions : nn::ModuleBase {
    explicit Predictions(const BertConfig& config);
    nn::Parameter bias;
    struct Transform : nn::ModuleBase {
      explicit Transform(const BertConfig& config);
      nn::Linear dense;
      nn::LayerNorm LayerNorm;
    } transform;
  };
  /// The part that files call "cls".
  struct Head : nn::ModuleBase {
    explicit Head(const BertConfig& config);
    Predictions predictions;
  };
  std::optional<Head> cls;

 private:
  Tensor scores(const Tensor& features);
  nn::Dropout dropout_;
};

}  // namespace ordo::models
