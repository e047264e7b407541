// Adagrad, PyTorch's formula. For each parameter p with gradient g, in its step t = 1, 2, ...:
//   g = g + weight_decay p
//   s = s + g^2                                               (initial_accumulator_value at first)
//   p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)
// Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011. Every
// element has a fixed order: the same at all determinism levels.
#pragma once

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
};

/// Of a parameter.
struct AdagradState {
  Tensor sum;        ///< undefined until its first step
  double steps = 0;  ///< that it has made
};

class Adagrad : public OptimizerOf<AdagradOptions, AdagradState> {
 public:
  explicit Adagrad(TensorList parameters, AdagradOptions options = {})
      : Adagrad(std::vector<ParameterGroup<AdagradOptions>>{{std::move(parameters), options}}) {}
  explicit Adagrad(const std::vector<ParameterGroup<AdagradOptions>>& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

}  // namespace ordo::optim
