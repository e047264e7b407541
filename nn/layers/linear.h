// Linear and bilinear maps, and the identity.
//
//   nn::Linear layer(784, 10);
//   Tensor logits = layer(images);   // [N, 784] -> [N, 10]
//   nn::Bilinear both(20, 30, 40);
//   Tensor y = both(a, b);           // [N, 20], [N, 30] -> [N, 40]
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

class LoRA;

struct LinearOptions {
  bool bias = true;
  bool transposed = false;  ///< the weight is [in_features, out_features], as files of GPT-2 have it
};

/// y = x W^T + b, or x W + b with a transposed weight; and what its low-rank part adds (nn/layers/lora.h).
///
/// Shapes: x [..., in_features]; y [..., out_features].
/// Parameters: "weight" W [out_features, in_features] and "bias" b [out_features], both U(-1/sqrt(in_features),
/// 1/sqrt(in_features)).
/// Throws: ValueError when a size is negative; forward as linear.
/// PyTorch: torch.nn.Linear; with a transposed weight transformers.pytorch_utils.Conv1D.
class Linear : public Module {
 public:
  Linear(int64_t in_features, int64_t out_features, LinearOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  int64_t in_features() const { return weight.size(transposed_ ? 0 : 1); }
  int64_t out_features() const { return weight.size(transposed_ ? 1 : 0); }
  /// Adds a part "lora", which gets the weight's dtype and device.
  ///
  /// Throws: ValueError when there is one.
  void add_lora(LoRA part);
  bool has_lora() const { return lora() != nullptr; }
  /// Adds the part to the weight and takes it away. Does nothing where there is none.
  void merge_lora();

  Parameter weight, bias;  ///< bias is undefined without one

 private:
  LoRA* lora() const;
  bool transposed_;
};

struct BilinearOptions {
  bool bias = true;
};

/// y[..., o] = x1^T A[o] x2 + b[o].
///
/// Shapes: x1 [..., in1_features], x2 [..., in2_features]; y [..., out_features].
/// Parameters: "weight" A [out_features, in1_features, in2_features] and "bias" b [out_features], both
/// U(-1/sqrt(in1_features), 1/sqrt(in1_features)).
/// Throws: ValueError when a size is not positive; forward as bilinear.
/// PyTorch: torch.nn.Bilinear.
struct Bilinear : ModuleOf<Bilinear> {
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, BilinearOptions options = {});
  Tensor forward(const Tensor& x1, const Tensor& x2);
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight, bias;  ///< bias is undefined without one
};

/// y = x. It stands where a layer is left out.
///
/// PyTorch: torch.nn.Identity.
struct Identity : Module {
  Tensor forward(const Tensor& input) override { return input; }
};

}  // namespace ordo::nn
