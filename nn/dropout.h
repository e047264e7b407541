// Dropout: while training, every element becomes 0 with probability p and is divided by 1 - p otherwise; in evaluation
// mode the input passes unchanged. Draws from default_generator().
//
//   nn::Sequential model{nn::Linear(100, 100), nn::ReLU(), nn::Dropout(0.2)};
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

class Dropout : public Module {
 public:
  /// ValueError unless 0 <= p <= 1.
  explicit Dropout(double p = 0.5);
  Tensor forward(const Tensor& input) override;

 private:
  double p_;
};

}  // namespace ordo::nn
