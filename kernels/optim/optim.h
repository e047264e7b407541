// Fused optimiser steps: one pass over a parameter, its gradient and its state. Internal to nn/optim.
#pragma once

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

struct SgdStep {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
  bool first;  ///< the momentum buffer is empty and becomes the gradient
};

struct AdamStep {
  double step_size;    ///< lr / (1 - beta1^t)
  double denominator;  ///< sqrt(1 - beta2^t)
  double beta1, beta2, eps;
  double decay;    ///< weight_decay, or lr * weight_decay when decoupled
  bool decoupled;  ///< AdamW
};

/// A zero tensor of the parameter's sizes, dtype and device, contiguous.
Tensor optimizer_state(const Tensor& parameter);

/// Change `parameter` and the state in place and count the change. ShapeError, DTypeError or DeviceError when gradient
/// or state do not match the parameter. `momentum` may be undefined when step.momentum is 0.
void sgd_step_(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, SgdStep step);
void adam_step_(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second, AdamStep step);

// All tensors contiguous, of one dtype and device.
namespace cpu {
void sgd_step(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, const SgdStep& step);
void adam_step(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second,
               const AdamStep& step);
}  // namespace cpu
namespace cuda {
void sgd_step(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, const SgdStep& step);
void adam_step(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second,
               const AdamStep& step);
}  // namespace cuda

}  // namespace ordo::kernels
