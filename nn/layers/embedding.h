// Tables of vectors that are looked up by index.
//
//   nn::Embedding embed(1000, 64);
//   Tensor vectors = embed(tokens);          // [N, L] -> [N, L, 64]
//   nn::EmbeddingBag bag(1000, 64, {.mode = EmbeddingBagMode::mean});
//   Tensor means = bag(tokens, offsets);     // [M], [bags] -> [bags, 64]
//   Tensor same = bag(matrix);               // [bags, L] -> [bags, 64]
#pragma once

#include <optional>

#include <ordo/autograd/ops/functional/embedding.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct EmbeddingOptions {
  std::optional<int64_t> padding_idx = {};  ///< negative: counted from the end
  std::optional<double> max_norm = {};      ///< forward shortens the rows it looks up to this norm, in "weight" itself
  double norm_type = 2;                     ///< of max_norm
};

/// What Embedding and EmbeddingBag share.
class EmbeddingTable : public Module {
 public:
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight;

 protected:
  EmbeddingTable(const char* name, int64_t num_embeddings, int64_t dim, std::optional<int64_t> padding_idx);
  std::optional<int64_t> padding_idx_;  ///< not negative
};

/// y[i..., :] = weight[x[i...], :].
///
/// Shapes: x of any shape; y [x..., dim].
/// Dtypes: x int32 or int64.
/// Parameters: "weight" [num_embeddings, dim], N(0, 1). The row padding_idx starts as 0 and receives no gradient.
/// Throws: ValueError when a size is not positive, padding_idx is no row of the table, or max_norm or norm_type is
/// none that embedding takes; forward as embedding.
/// PyTorch: torch.nn.Embedding.
class Embedding : public EmbeddingTable {
 public:
  Embedding(int64_t num_embeddings, int64_t dim, EmbeddingOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  std::optional<double> max_norm_;
  double norm_type_;
};

struct EmbeddingBagOptions {
  EmbeddingBagMode mode = EmbeddingBagMode::mean;
  bool include_last_offset = false;         ///< offsets has one more entry, the end of the last bag
  std::optional<int64_t> padding_idx = {};  ///< negative: counted from the end
};

/// One vector for each bag of indices: the sum, mean or maximum of the bag's rows of "weight". Bags are the rows of a
/// matrix of indices, or runs of a list that start at `offsets`.
///
/// Shapes: x [bags, L], or x [M] and offsets [bags]; y [bags, dim].
/// Dtypes: x and offsets int32 or int64.
/// Parameters: "weight" [num_embeddings, dim], N(0, 1). The row padding_idx starts as 0, does not count and receives no
/// gradient.
/// Throws: as Embedding; ShapeError for an input without offsets that is no matrix; forward as embedding_bag.
/// PyTorch: torch.nn.EmbeddingBag.
class EmbeddingBag : public EmbeddingTable {
 public:
  EmbeddingBag(int64_t num_embeddings, int64_t dim, EmbeddingBagOptions options = {});
  /// Bags of equal length: input [bags, L].
  Tensor forward(const Tensor& input) override;
  /// Bags of any length: input [M], offsets [bags]. per_sample_weights [M], for mode sum only, multiply the rows.
  Tensor forward(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights = {});
  using Module::operator();
  Tensor operator()(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights = {}) {
    return run_forward([&] { return forward(input, offsets, per_sample_weights); });
  }
  std::string description() const override;

 private:
  EmbeddingBagMode mode_;
  bool include_last_offset_;
};

}  // namespace ordo::nn
