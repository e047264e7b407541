#include <ordo/nn/layers/lora.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>
#include <ordo/nn/layers/linear.h>

namespace ordo::nn {

LoRA::LoRA(int64_t in_features, int64_t out_features, const LoRAOptions& options) : options_(options) {
  ORDO_CHECK(in_features > 0 && out_features > 0 && options.rank > 0, ValueError, "LoRA",
             "needs positive sizes and a positive rank, not {}, {} and {}", in_features, out_features, options.rank);
  ORDO_CHECK(options.dropout >= 0 && options.dropout < 1, ValueError, "LoRA", "needs a dropout in [0, 1), not {}",
             options.dropout);
  A = add_parameter("A", zeros({options.rank, in_features}));
  B = add_parameter("B", zeros({out_features, options.rank}));
  init::kaiming_uniform_(A, {.negative_slope = std::sqrt(5.0)});
}

Tensor LoRA::forward(const Tensor& input) {
  const Tensor x = options_.dropout > 0 ? dropout(input, options_.dropout, is_training()) : input;
  return linear(linear(x, A) * scale(), B);
}

double LoRA::scale() const {
  const auto rank = double(options_.rank);
  return options_.alpha / (options_.use_rslora ? std::sqrt(rank) : rank);
}

Tensor LoRA::weight() const { return matmul(B, A) * scale(); }

std::string LoRA::description() const {
  return Description("LoRA", A.size(1), B.size(0)).with("rank", A.size(0), int64_t(0));
}

/// The layers of a model, by their paths.
static std::vector<std::pair<std::string, Linear*>> linears_of(ModuleBase& model) {
  std::vector<std::pair<std::string, Linear*>> layers;
  for (const auto& [path, module] : model.named_modules())
    if (auto* const layer = dynamic_cast<Linear*>(module)) layers.emplace_back(path, layer);
  return layers;
}

void add_lora(ModuleBase& model, const std::vector<std::string>& targets, const LoRAOptions& options) {
  const ordo::detail::LibraryCall call;
  const NamedTensorList before = model.named_parameters();
  std::vector<std::pair<Linear*, LoRA>> parts;
  for (const auto& [path, layer] : linears_of(model)) {
    const std::string weight = path.empty() ? "weight" : path + ".weight";
    const auto is_named = [&, &path = path](const std::string& target) {
      return path == target || path.ends_with("." + target);
    };
    if (std::none_of(targets.begin(), targets.end(), is_named)) continue;
    const Tensor own = layer->weight;
    const auto is_listed = [&](const NamedTensor& p) { return p.name == weight && p.tensor.is_same(own); };
    ORDO_CHECK(std::any_of(before.begin(), before.end(), is_listed), ValueError, "add_lora",
               "'{}' is computed from others, or shared with another layer", weight);
    ORDO_CHECK(!layer->has_lora(), ValueError, "add_lora", "'{}' has its part already", path);
    parts.emplace_back(layer, LoRA(layer->in_features(), layer->out_features(), options));
  }
  ORDO_CHECK(!parts.empty(), ValueError, "add_lora", "the model has no Linear of these names");
  for (const auto& [layer, part] : parts) layer->add_lora(part);
  for (auto [name, parameter] : before) parameter.requires_grad_(false);
}

void merge_lora(ModuleBase& model) {
  const ordo::detail::LibraryCall call;
  for (const auto& [path, layer] : linears_of(model)) layer->merge_lora();
}

}  // namespace ordo::nn
