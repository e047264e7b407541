// What the two transformers are made of: of every letter of a text, scores of the next one, from the letters before.
// Vaswani et al., "Attention is all you need", 2017.
#pragma once

#include "samples/models/example.h"

namespace examples {

struct TextTransformer : nn::ModuleOf<TextTransformer> {
  TextTransformer(int64_t alphabet, int64_t length, int64_t width, int64_t heads)
      : letters(add("letters", nn::Embedding(alphabet, width))),
        places(add("places", nn::Embedding(length, width))),
        layers(add("layers", nn::TransformerEncoder(nn::TransformerEncoderLayer(width, heads,
                                                                                {.dim_feedforward = 4 * width,
                                                                                 .dropout = 0,
                                                                                 .activation = "gelu",
                                                                                 .batch_first = true,
                                                                                 .norm_first = true}),
                                                    2, nn::LayerNorm(width)))),
        head(add("head", nn::Linear(width, alphabet))) {}
  /// Letters [n, length] -> scores of the next ones [n, length, alphabet].
  Tensor forward(const Tensor& text) {
    const Tensor x = letters(text) + places(arange(text.size(1)).to(text.device()));
    return head(layers(x, {.is_causal = true}));
  }
  nn::Embedding letters, places;
  nn::TransformerEncoder layers;
  nn::Linear head;
};

}  // namespace examples
