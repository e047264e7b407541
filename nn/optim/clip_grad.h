// Gradient clipping, between backward() and the optimiser's step.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::optim {

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), in place, and returns their norm before: the p-norm of the
/// p-norms of the parameters' gradients, in the order of the parameters (ordering rule 12), a 0-d tensor of float64 if
/// a gradient is, otherwise of float32, on the first gradient's device. Parameters without a gradient are left out; the
/// norm of none is 0. With error_if_nonfinite, ValueError for a norm that is no finite number, and no gradient has
/// changed then. Otherwise such a norm spoils the gradients, as in PyTorch. ValueError unless max_norm and p are
/// above 0.
Tensor clip_grad_norm_(const TensorList& parameters, double max_norm, double p = 2, bool error_if_nonfinite = false);
/// Bounds every element of the gradients to [-value, value], in place. ValueError unless value is at least 0.
void clip_grad_value_(const TensorList& parameters, double value);

}  // namespace ordo::optim
