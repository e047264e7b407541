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

/// How much of the old averages a step keeps: beta1 of the gradient, beta2 of its square.
struct AdamBetas {
  double first = 0.9, second = 0.999;
};

struct AdamOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
};

/// Of a parameter.
struct AdamState {
  Tensor first, second;           ///< moments; undefined until its first step
  double power1 = 1, power2 = 1;  ///< beta^t
};

class Adam : public OptimizerOf<AdamOptions, AdamState> {
 public:
  explicit Adam(TensorList parameters, AdamOptions options = {})
      : Adam(std::vector<ParameterGroup<AdamOptions>>{{std::move(parameters), options}}) {}
  explicit Adam(const std::vector<ParameterGroup<AdamOptions>>& groups) : Adam("Adam", groups, false) {}

 protected:
  Adam(const char* name, const std::vector<ParameterGroup<AdamOptions>>& groups, bool decoupled);
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;

 private:
  const char* name_;
  bool decoupled_;
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
      : AdamW(std::vector<ParameterGroup<AdamWOptions>>{{std::move(parameters), options}}) {}
  explicit AdamW(const std::vector<ParameterGroup<AdamWOptions>>& groups);
};

}  // namespace ordo::optim
