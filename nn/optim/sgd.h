// SGD: stochastic gradient descent, PyTorch's formula. For each parameter p with gradient g:
//   g = g + weight_decay p
//   b = momentum b + (1 - dampening) g        (b = g in the first step; only with momentum)
//   g = nesterov ? g + momentum b : b         (only with momentum)
//   p = p - lr g
// Every element has a fixed order: the same at all determinism levels.
#pragma once

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  ///< needs momentum > 0 and dampening == 0
};

class SGD : public OptimizerOf<SGDOptions, Tensor> {
 public:
  explicit SGD(TensorList parameters, SGDOptions options = {})
      : SGD(std::vector<ParameterGroup<SGDOptions>>{{std::move(parameters), options}}) {}
  explicit SGD(const std::vector<ParameterGroup<SGDOptions>>& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

}  // namespace ordo::optim
