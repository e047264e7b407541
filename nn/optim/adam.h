// Adam and AdamW, PyTorch's formulas. For each parameter p with gradient g, in its step t = 1, 2, ...:
//   Adam   g = g + weight_decay p
//   AdamW  p = p - lr weight_decay p
//   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
//   p = p - lr / (1 - beta1^t) m / (sqrt(v) / sqrt(1 - beta2^t) + eps)
// Kingma, Ba, "Adam: a method for stochastic optimization", 2015; Loshchilov, Hutter, "Decoupled weight decay
// regularization", 2019. Every element has a fixed order: the same at all determinism levels.
#pragma once

#include <vector>

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

struct AdamBetas {
  double first = 0.9, second = 0.999;
};

struct AdamOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
};

class Adam : public Optimizer {
 public:
  explicit Adam(TensorList parameters, AdamOptions options = {})
      : Adam("Adam", std::move(parameters), options, false) {}

 protected:
  void update() override;
  Adam(const char* name, TensorList parameters, AdamOptions options, bool decoupled);

 private:
  struct State {
    Tensor first, second;           // moments; undefined until the parameter's first step
    double power1 = 1, power2 = 1;  // beta^t
  };
  AdamOptions options_;
  bool decoupled_;
  std::vector<State> state_;
};

struct AdamWOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 1e-2;
};

class AdamW : public Adam {
 public:
  explicit AdamW(TensorList parameters, AdamWOptions options = {})
      : Adam("AdamW", std::move(parameters), {options.lr, options.betas, options.eps, options.weight_decay}, true) {}
};

}  // namespace ordo::optim
