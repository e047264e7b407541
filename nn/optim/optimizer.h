// Optimizer: changes parameters by their gradients.
//
//   optim::SGD optimizer(model.parameters(), {.lr = 0.01, .momentum = 0.9});
//   optimizer.zero_grad();
//   loss.backward();
//   optimizer.step();
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::optim {

class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates every parameter that has a gradient, in place and unrecorded; the others keep their values and state.
  void step();
  /// Makes all gradients undefined again.
  void zero_grad();

  double lr() const { return lr_; }
  /// ValueError unless lr is at least 0.
  void set_lr(double lr);
  const TensorList& parameters() const { return parameters_; }

 protected:
  /// ValueError when there are no parameters, one is given twice, or one is not a leaf that requires a gradient.
  Optimizer(const char* name, TensorList parameters, double lr);

  virtual void update() = 0;

  TensorList parameters_;
  double lr_;

 private:
  const char* name_;
};

}  // namespace ordo::optim
