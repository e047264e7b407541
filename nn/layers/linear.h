// Linear: y = x W^T + b
//   x [..., in_features], W "weight" [out_features, in_features], b "bias" [out_features], y [..., out_features]
// W and b start as U(-1/sqrt(in_features), 1/sqrt(in_features)).
//
//   nn::Linear layer(784, 10);
//   Tensor logits = layer(images);   // [N, 784] -> [N, 10]
//
// Bilinear: y = x1^T A x2 + b, as bilinear
//   x1 [..., in1_features], x2 [..., in2_features], A "weight" [out_features, in1_features, in2_features], b "bias"
//   [out_features], y [..., out_features]
// Both start as U(-1/sqrt(in1_features), 1/sqrt(in1_features)).
//
//   nn::Bilinear layer(20, 30, 40);
//   Tensor y = layer(a, b);   // [N, 20], [N, 30] -> [N, 40]
//
// Identity: gives its input back. It stands where a layer is left out.
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

struct LinearOptions {
  bool bias = true;
};

class Linear : public Module {
 public:
  /// ValueError unless in_features >= 0 and out_features >= 0.
  Linear(int64_t in_features, int64_t out_features, LinearOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight, bias;  ///< bias is undefined without one
};

using BilinearOptions = LinearOptions;

class Bilinear : public ModuleOf<Bilinear> {
 public:
  /// ValueError unless all sizes are positive.
  Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, BilinearOptions options = {});
  Tensor forward(const Tensor& x1, const Tensor& x2);
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight, bias;  ///< bias is undefined without one
};

class Identity : public Module {
 public:
  Tensor forward(const Tensor& input) override { return input; }
};

}  // namespace ordo::nn
