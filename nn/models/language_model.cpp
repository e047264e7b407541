#include <ordo/nn/models/language_model.h>

#include <tuple>

#include <ordo/autograd/ops/create/arange.h>
#include <ordo/autograd/ops/functional/attention.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/engine/calls/check.h>

namespace ordo::models {

Tensor TextPiece::attention(const Tensor& query, const Tensor& key, const Tensor& value, double dropout) const {
  Tensor k = key, v = value;
  if (cache) std::tie(k, v) = cache->append(key, value);
  const bool shared = query.size(1) != k.size(1);
  const Tensor y = scaled_dot_product_attention(query, k, v, taking_part, dropout, !taking_part.defined(), std::nullopt,
                                                nullptr, shared);
  return y.transpose(1, 2).flatten(2);
}

TextPiece LanguageModel::piece_of(const Tensor& tokens, const TextState* state) const {
  const char* const op = "LanguageModel";
  ORDO_CHECK(tokens.defined() && tokens.dim() == 2 && tokens.size(1) > 0, ShapeError, op,
             "takes tokens [N, L] of at least one position, not {}", tokens.defined() ? tokens.sizes() : Dims());
  ORDO_CHECK(!state || int64_t(state->caches.size()) == layer_count(), ValueError, op,
             "the state has {} layers, the model {}; begin() makes one", state->caches.size(), layer_count());
  const int64_t before = state ? state->length() : 0, all = before + tokens.size(1);
  ORDO_CHECK(all <= positions(), ValueError, op, "the text has {} tokens, the model is for {} at most", all,
             positions());
  const TensorOptions numbers{int64, tokens.device()};
  TextPiece piece{arange(before, all, 1, numbers), {}};
  if (!state || !state->padding.defined()) return piece;
  const Tensor padding = state->padding.unsqueeze(1);
  ORDO_CHECK(tokens.size(1) == 1, ValueError, op, "texts behind padding go on by one token at a time, not {}",
             tokens.size(1));
  piece.positions = piece.positions - padding;
  piece.taking_part = ge(arange(0, all, 1, numbers), padding).unsqueeze(1).unsqueeze(1);
  return piece;
}

}  // namespace ordo::models
