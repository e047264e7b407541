// Fused optimiser steps: one pass over a parameter, its gradient and its state. Internal to nn/optim.
#pragma once

#include <variant>
#include <vector>

#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

// A step's numbers, which are the same for all elements. The formulas are those of nn/optim/; kernels/optim/functors.h
// has them element by element.

/// State: the momentum buffer, if momentum is not 0.
struct SgdStep {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
  bool first;  ///< the momentum buffer is empty and becomes the gradient
};

/// State: first and second moment; then the largest second moment if amsgrad, or undefined.
struct AdamStep {
  double step_size;    ///< lr / (1 - beta1^t)
  double denominator;  ///< sqrt(1 - beta2^t)
  double beta1, beta2, eps;
  double decay;    ///< weight_decay, or lr * weight_decay when decoupled
  bool decoupled;  ///< AdamW
};

/// State: mean square; then the momentum buffer, or undefined; then the mean if centred, or undefined.
struct RmspropStep {
  double lr, alpha, eps, weight_decay, momentum;
};

/// State: sum of squares.
struct AdagradStep {
  double lr;  ///< of this step, decayed
  double weight_decay, eps;
};

using OptimizerStep = std::variant<SgdStep, AdamStep, RmspropStep, AdagradStep>;

/// What a step reads and changes: a parameter, its gradient, and state of the parameter's sizes, dtype and device.
struct StepTensors {
  const char* op;  ///< for errors
  Tensor parameter, grad;
  Tensor state[3] = {};
};

/// A zero tensor of the parameter's sizes, dtype and device, contiguous.
Tensor optimizer_state(const Tensor& parameter);

/// Changes the parameter and the state in place and counts the change. ShapeError, DTypeError or DeviceError when the
/// gradient or the state does not match the parameter.
void optimizer_step_(StepTensors tensors, const OptimizerStep& step);

/// While it lives, optimizer_step_ of the calling thread checks its tensors and counts the change, but launches what it
/// does on CUDA together with other steps. Not nested.
class StepsTogether {
 public:
  StepsTogether();
  /// Launches what is left.
  ~StepsTogether();
  StepsTogether(const StepsTogether&) = delete;
  StepsTogether& operator=(const StepsTogether&) = delete;
  /// The same, with the device's errors.
  void launch();
};

/// All tensors contiguous, of one dtype and device.
struct PlannedStep {
  StepTensors tensors;
  OptimizerStep step;
};
ORDO_DEVICES(void, optimizer_steps, const std::vector<PlannedStep>& steps)

}  // namespace ordo::kernels
