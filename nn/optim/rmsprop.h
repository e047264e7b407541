// RMSprop, PyTorch's formula. For each parameter p with gradient g:
//   g = g + weight_decay p
//   v = alpha v + (1 - alpha) g^2
//   m = alpha m + (1 - alpha) g                               (only if centered)
//   d = g / (sqrt(centered ? max(v - m^2, 0) : v) + eps)      (PyTorch lets rounding make the difference negative)
//   b = momentum b + d,   d = b                               (only with momentum)
//   p = p - lr d
// Tieleman, Hinton, "Lecture 6.5: rmsprop", 2012; the centred form is of Graves, "Generating sequences with recurrent
// neural networks", 2013. Every element has a fixed order: the same at all determinism levels.
#pragma once

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
};

/// Of a parameter; undefined until its first step.
struct RMSpropState {
  Tensor square, momentum, mean;
};

class RMSprop : public OptimizerOf<RMSpropOptions, RMSpropState> {
 public:
  explicit RMSprop(TensorList parameters, RMSpropOptions options = {})
      : RMSprop(std::vector<ParameterGroup<RMSpropOptions>>{{std::move(parameters), options}}) {}
  explicit RMSprop(const std::vector<ParameterGroup<RMSpropOptions>>& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

}  // namespace ordo::optim
