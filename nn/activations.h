// Activations as modules, element by element:
//   ReLU max(x, 0);  Sigmoid 1 / (1 + exp(-x));  Tanh tanh(x);  GELU x Phi(x), or its tanh approximation.
//
//   nn::Sequential model{nn::Linear(10, 10), nn::ReLU()};
#pragma once

#include <string>

#include <ordo/nn/module.h>

namespace ordo::nn {

class ReLU : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Tanh : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

struct GELUOptions {
  std::string approximate = "none";  ///< or "tanh"
};

class GELU : public Module {
 public:
  explicit GELU(GELUOptions options = {});
  Tensor forward(const Tensor& input) override;

 private:
  GELUOptions options_;
};

}  // namespace ordo::nn
