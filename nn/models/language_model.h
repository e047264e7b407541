// Models of text: for each position of a text, scores of the next token.
//
//   const auto model = models::open("checkpoints/gpt2");       // nn/models/open.h
//   const Tensor logits = (*model)(tokens);                    // [N, L] -> [N, L, vocabulary]
//
//   models::TextState state = model->begin();                  // the same, piece by piece
//   NoGrad guard;
//   for (...) logits = (*model)(next, state);                  // the new tokens only
#pragma once

#include <string>
#include <vector>

#include <ordo/nn/layers/multihead_attention.h>
#include <ordo/nn/layers/rotary_embedding.h>

namespace ordo::models {

/// What a model keeps of a text that comes piece by piece.
struct TextState {
  std::vector<nn::KeyValueCache> caches;  ///< of each layer
  /// [N], int64: so many positions in front are none of the text's. Undefined: 0. With it, a piece has one token.
  Tensor padding = {};
  int64_t length() const { return caches.empty() ? 0 : caches[0].length(); }
};

/// Of some tokens of a text. Internal.
struct TextPiece {
  Tensor positions;    ///< [L], or [N, L]
  Tensor taking_part;  ///< [N, 1, 1, keys]: keys that are the text's; undefined: all
  nn::KeyValueCache* cache = nullptr;
  nn::Rotation rotation = {};  ///< of queries and keys, where a model has rotary positions

  /// Attention of the new positions to themselves and those before: [N, heads, L, features] each, to [N, L, heads *
  /// features]. Fewer heads of keys and values serve several of the queries.
  Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, double dropout) const;
};

/// A decoder of text. In training mode it drops out; open() gives one that evaluates.
///
/// Shapes: tokens [N, L]; logits [N, L, vocabulary].
/// Dtypes: tokens int64 or int32.
/// Throws: ShapeError when tokens are no matrix; ValueError when the text is longer than the model's positions, or the
/// state is another model's; as embedding.
/// Determinism: that of products (docs/ordering.md, rule 3). The logits of a text do not depend on the texts beside it,
/// nor on the pieces in which it comes: on the CPU at every level, on CUDA at device_to_device.
class LanguageModel : public nn::Module {
 public:
  Tensor forward(const Tensor& tokens) override { return scores(features(tokens, nullptr)); }
  using nn::Module::operator();
  Tensor operator()(const Tensor& tokens, TextState& state) {
    return run_forward([&] { return scores(features(tokens, &state)); });
  }
  /// The logits of the last position only, [N, vocabulary], with the bits that they have among all.
  Tensor next(const Tensor& tokens, TextState& state) {
    return run_forward([&] {
      const Tensor all = features(tokens, &state);
      return scores(all.select(1, all.size(1) - 1));
    });
  }

  /// Before the first token.
  TextState begin() const { return {std::vector<nn::KeyValueCache>(size_t(layer_count()))}; }
  virtual int64_t layer_count() const = 0;
  virtual int64_t vocabulary() const = 0;  ///< number of tokens
  virtual int64_t positions() const = 0;   ///< of the longest text
  /// The text of config.json, as transformers reads it.
  virtual std::string config_json() const = 0;

 protected:
  /// What the layers come to, [N, L, features], and its logits.
  virtual Tensor features(const Tensor& tokens, TextState* state) = 0;
  virtual Tensor scores(const Tensor& features) = 0;
  /// What is alike for all layers.
  TextPiece piece_of(const Tensor& tokens, const TextState* state) const;
  static TextPiece in_layer(TextPiece piece, TextState* state, size_t layer) {
    piece.cache = state ? &state->caches[layer] : nullptr;
    return piece;
  }
};

}  // namespace ordo::models
