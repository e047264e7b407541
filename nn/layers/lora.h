// Low-rank parts of linear layers, which train in place of their weights.
//
//   nn::add_lora(*model, {"q_proj", "v_proj"}, {.rank = 8});   // all other parameters are frozen
//   optim::AdamW optimizer(model->parameters());
//   ...
//   nn::merge_lora(*model);                                    // the weights now hold what was learnt
#pragma once

#include <string>
#include <vector>

#include <ordo/nn/module.h>

namespace ordo::nn {

struct LoRAOptions {
  int64_t rank = 8;
  double alpha = 16;        ///< the part counts alpha / rank times
  double dropout = 0;       ///< of its input, while training
  bool use_rslora = false;  ///< the part counts alpha / sqrt(rank) times
  friend bool operator==(const LoRAOptions&, const LoRAOptions&) = default;
};

/// y = scale() B A dropout(x), which Linear adds to its own result.
///
/// Shapes: x [..., in_features]; y [..., out_features].
/// Parameters: "A" [rank, in_features], U(-1/sqrt(in_features), 1/sqrt(in_features)); "B" [out_features, rank], 0.
/// Throws: ValueError when a size or the rank is not positive, or dropout not in [0, 1); forward as linear.
/// PyTorch: peft.LoraConfig's layers.
/// Source: Hu et al., "LoRA: Low-rank adaptation of large language models", 2021; use_rslora: Kalajdzievski, "A Rank
/// Stabilization Scaling Factor for Fine-Tuning with LoRA", 2023.
class LoRA : public Module {
 public:
  LoRA(int64_t in_features, int64_t out_features, const LoRAOptions& options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;
  /// scale() B A, [out_features, in_features].
  Tensor weight() const;
  const LoRAOptions& options() const { return options_; }
  double scale() const;  ///< alpha / rank, or alpha / sqrt(rank)

  Parameter A, B;

 private:
  LoRAOptions options_;
};

/// Gives a part "lora" to each Linear in the model whose path, or the end of it from a dot on, is among `targets`, and
/// freezes all parameters that were there before. All copies of these layers change; make optimisers afterwards.
///
/// Throws: ValueError when no Linear has such a path, or one has its part already, or its weight is tied to an earlier
/// layer's or computed (nn/parametrizations.h); as LoRA. Nothing has changed then.
/// PyTorch: peft.get_peft_model.
void add_lora(ModuleBase& model, const std::vector<std::string>& targets, const LoRAOptions& options = {});

/// Adds the parts to the weights and takes them away. What was frozen stays frozen.
///
/// PyTorch: merge_and_unload of peft's models.
void merge_lora(ModuleBase& model);

}  // namespace ordo::nn
