#include <ordo/nn/embedding.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/embedding.h>
#include <ordo/engine/check.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

Embedding::Embedding(int64_t num_embeddings, int64_t dim, EmbeddingOptions options) : options_(options) {
  ORDO_CHECK(num_embeddings > 0 && dim > 0, ValueError, "Embedding", "needs positive sizes, not [{}, {}]",
             num_embeddings, dim);
  if (auto& row = options_.padding_idx) {
    ORDO_CHECK(*row >= -num_embeddings && *row < num_embeddings, ValueError, "Embedding",
               "padding_idx = {} is not a row of a table of {}", *row, num_embeddings);
    if (*row < 0) *row += num_embeddings;
  }
  weight = add_parameter("weight", zeros({num_embeddings, dim}));
  reset_parameters();
}

Tensor Embedding::forward(const Tensor& input) { return embedding(input, weight, options_.padding_idx); }

void Embedding::reset_parameters() {
  init::normal_(weight);
  if (options_.padding_idx) init::zeros_(weight.detach().select(0, *options_.padding_idx));
}

std::string Embedding::description() const {
  return Description("Embedding", weight.size(0), weight.size(1))
      .with("padding_idx", options_.padding_idx, std::nullopt);
}

}  // namespace ordo::nn
