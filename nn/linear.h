// Linear: y = x W^T + b
//   x [..., in_features], W "weight" [out_features, in_features], b "bias" [out_features], y [..., out_features]
// W and b start as U(-1/sqrt(in_features), 1/sqrt(in_features)).
//
//   nn::Linear layer(784, 10);
//   Tensor logits = layer(images);   // [N, 784] -> [N, 10]
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

}  // namespace ordo::nn
