// Embedding and EmbeddingBag.
#include <ordo/nn/layers/embedding.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

EmbeddingTable::EmbeddingTable(const char* name, int64_t num_embeddings, int64_t dim,
                               std::optional<int64_t> padding_idx)
    : padding_idx_(padding_idx) {
  ORDO_CHECK(num_embeddings > 0 && dim > 0, ValueError, name, "needs positive sizes, not [{}, {}]", num_embeddings,
             dim);
  if (padding_idx) {
    ORDO_CHECK(*padding_idx >= -num_embeddings && *padding_idx < num_embeddings, ValueError, name,
               "padding_idx = {} is not a row of a table of {}", *padding_idx, num_embeddings);
    if (*padding_idx < 0) *padding_idx_ += num_embeddings;
  }
  weight = add_parameter("weight", zeros({num_embeddings, dim}));
  reset_parameters();
}

void EmbeddingTable::reset_parameters() {
  init::normal_(weight);
  if (padding_idx_) init::zeros_(weight.detach().select(0, *padding_idx_));
}

Embedding::Embedding(int64_t num_embeddings, int64_t dim, EmbeddingOptions options)
    : EmbeddingTable("Embedding", num_embeddings, dim, options.padding_idx),
      max_norm_(options.max_norm),
      norm_type_(options.norm_type) {
  ORDO_CHECK(!max_norm_ || *max_norm_ >= 0, ValueError, "Embedding", "max_norm = {} must not be negative", *max_norm_);
  ORDO_CHECK(norm_type_ > 0, ValueError, "Embedding", "norm_type = {} must be positive", norm_type_);
}

Tensor Embedding::forward(const Tensor& input) { return embedding(input, weight, padding_idx_, max_norm_, norm_type_); }

std::string Embedding::description() const {
  return Description("Embedding", weight.size(0), weight.size(1))
      .with("padding_idx", padding_idx_, std::nullopt)
      .with("max_norm", max_norm_, std::nullopt)
      .with("norm_type", norm_type_, 2);
}

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t dim, EmbeddingBagOptions options)
    : EmbeddingTable("EmbeddingBag", num_embeddings, dim, options.padding_idx),
      mode_(options.mode),
      include_last_offset_(options.include_last_offset) {}

Tensor EmbeddingBag::forward(const Tensor& input) {
  detail::expect_defined("EmbeddingBag", input, "input");
  ORDO_CHECK(input.dim() == 2, ShapeError, "EmbeddingBag",
             "without offsets, the input is a matrix [bags, L], not {}; give offsets for a list of indices",
             input.sizes());
  return embedding_bag(input, weight, {.mode = mode_, .padding_idx = padding_idx_});
}

Tensor EmbeddingBag::forward(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights) {
  return embedding_bag(input, weight, {offsets, mode_, per_sample_weights, include_last_offset_, padding_idx_});
}

std::string EmbeddingBag::description() const {
  constexpr const char* kModes[] = {"sum", "mean", "max"};
  return Description("EmbeddingBag", weight.size(0), weight.size(1))
      .with("mode", kModes[int(mode_)])
      .with("include_last_offset", include_last_offset_, false)
      .with("padding_idx", padding_idx_, std::nullopt);
}

}  // namespace ordo::nn
