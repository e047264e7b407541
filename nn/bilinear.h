// Bilinear: y = x1^T A x2 + b, as bilinear
//   x1 [..., in1_features], x2 [..., in2_features], A "weight" [out_features, in1_features, in2_features], b "bias"
//   [out_features], y [..., out_features]
// Both start as U(-1/sqrt(in1_features), 1/sqrt(in1_features)).
//
//   nn::Bilinear layer(20, 30, 40);
//   Tensor y = layer(a, b);   // [N, 20], [N, 30] -> [N, 40]
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

struct BilinearOptions {
  bool bias = true;
};

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

}  // namespace ordo::nn
