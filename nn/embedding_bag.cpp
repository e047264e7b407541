#include <ordo/nn/embedding_bag.h>

#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

EmbeddingBag::EmbeddingBag(int64_t num_embeddings, int64_t dim, EmbeddingBagOptions options) : options_(options) {
  ORDO_CHECK(num_embeddings > 0 && dim > 0, ValueError, "EmbeddingBag", "needs positive sizes, not [{}, {}]",
             num_embeddings, dim);
  if (auto& row = options_.padding_idx) {
    ORDO_CHECK(*row >= -num_embeddings && *row < num_embeddings, ValueError, "EmbeddingBag",
               "padding_idx = {} is not a row of a table of {}", *row, num_embeddings);
    if (*row < 0) *row += num_embeddings;
  }
  weight = add_parameter("weight", zeros({num_embeddings, dim}));
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

void EmbeddingBag::reset_parameters() {
  init::normal_(weight);
  if (options_.padding_idx) init::zeros_(weight.detach().select(0, *options_.padding_idx));
}

std::string EmbeddingBag::description() const {
  constexpr const char* kModes[] = {"sum", "mean", "max"};
  return Description("EmbeddingBag", weight.size(0), weight.size(1))
      .with("mode", kModes[int(options_.mode)])
      .with("include_last_offset", options_.include_last_offset, false)
      .with("padding_idx", options_.padding_idx, std::nullopt);
}

}  // namespace ordo::nn
