// Embedding and EmbeddingBag.
#include <ordo/nn/embedding.h>

#include <ordo/autograd/ops/embedding.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/embedding_bag.h>
#include <ordo/nn/init.h>

namespace ordo::nn {
namespace {

/// The sizes of a table. A negative padding_idx becomes the row's number.
Dims table_sizes(const char* op, int64_t num_embeddings, int64_t dim, std::optional<int64_t>& padding_idx) {
  ORDO_CHECK(num_embeddings > 0 && dim > 0, ValueError, op, "needs positive sizes, not [{}, {}]", num_embeddings, dim);
  if (padding_idx) {
    ORDO_CHECK(*padding_idx >= -num_embeddings && *padding_idx < num_embeddings, ValueError, op,
               "padding_idx = {} is not a row of a table of {}", *padding_idx, num_embeddings);
    if (*padding_idx < 0) *padding_idx += num_embeddings;
  }
  return {num_embeddings, dim};
}

void draw(const Parameter& weight, const std::optional<int64_t>& padding_idx) {
  init::normal_(weight);
  if (padding_idx) init::zeros_(weight.detach().select(0, *padding_idx));
}

}  // namespace

Embedding::Embedding(int64_t num_embeddings, int64_t dim, EmbeddingOptions options) : options_(options) {
  weight = add_parameter("weight", zeros(table_sizes("Embedding", num_embeddings, dim, options_.padding_idx)));
  reset_parameters();
}

Tensor Embedding::forward(const Tensor& input) { return embedding(input, weight, options_.padding_idx); }

void Embedding::reset_parameters() { draw(weight, options_.padding_idx); }

std::string Embedding::description() const {
  return Description("Embedding", weight.size(0), weight.size(1)).with_options(options_, "padding_idx");
}

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t dim, EmbeddingBagOptions options) : options_(options) {
  weight = add_parameter("weight", zeros(table_sizes("EmbeddingBag", num_embeddings, dim, options_.padding_idx)));
  reset_parameters();
}

Tensor EmbeddingBag::forward(const Tensor& input) {
  detail::expect_defined("EmbeddingBag", input, "input");
  ORDO_CHECK(input.dim() == 2, ShapeError, "EmbeddingBag",
             "without offsets, the input is a matrix [bags, L], not {}; give offsets for a list of indices",
             input.sizes());
  return embedding_bag(input, weight, {}, options_.mode, {}, false, options_.padding_idx);
}

Tensor EmbeddingBag::forward(const Tensor& input, const Tensor& offsets, const Tensor& per_sample_weights) {
  return embedding_bag(input, weight, offsets, options_.mode, per_sample_weights, options_.include_last_offset,
                       options_.padding_idx);
}

void EmbeddingBag::reset_parameters() { draw(weight, options_.padding_idx); }

std::string EmbeddingBag::description() const {
  constexpr const char* kModes[] = {"sum", "mean", "max"};
  return Description("EmbeddingBag", weight.size(0), weight.size(1))
      .with("mode", kModes[int(options_.mode)])
      .with("include_last_offset", options_.include_last_offset, false)
      .with("padding_idx", options_.padding_idx, std::nullopt);
}

}  // namespace ordo::nn
