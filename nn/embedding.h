// Embedding: y[i..., :] = weight[x[i...], :]
//   x int32 or int64 of any shape, "weight" [num_embeddings, dim], y [x..., dim]
// The table starts as N(0, 1). The row padding_idx starts as 0 and receives no gradient.
//
//   nn::Embedding embed(1000, 64);
//   Tensor vectors = embed(tokens);   // [N, L] -> [N, L, 64]
#pragma once

#include <optional>

#include <ordo/nn/module.h>

namespace ordo::nn {

struct EmbeddingOptions {
  std::optional<int64_t> padding_idx = {};  ///< negative: counted from the end
};

/// What Embedding and EmbeddingBag share.
class EmbeddingTable : public Module {
 public:
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight;

 protected:
  /// ValueError unless the sizes are positive and padding_idx is a row of the table.
  EmbeddingTable(const char* name, int64_t num_embeddings, int64_t dim, std::optional<int64_t> padding_idx);
  std::optional<int64_t> padding_idx_;  ///< not negative
};

class Embedding : public EmbeddingTable {
 public:
  /// ValueError unless the sizes are positive and padding_idx is a row of the table.
  Embedding(int64_t num_embeddings, int64_t dim, EmbeddingOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;
};

}  // namespace ordo::nn
