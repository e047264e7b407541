// Gradient clipping, between backward() and the optimiser's step.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo::optim {

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), in place, and returns their norm before: the p-norm of the
/// p-norms of the parameters' gradients. Parameters without a gradient are left out; the norm of none is 0. A norm that
/// is no finite number spoils the gradients, as in PyTorch, unless error_if_nonfinite is set.
///
/// Shapes, Dtypes: the norm is a 0-d tensor on the first gradient's device, of float64 if a gradient is, otherwise of
/// float32.
/// Throws: ValueError when max_norm or p is not above 0; with error_if_nonfinite, ValueError when the norm is no finite
/// number, and no gradient has changed then.
/// Determinism: the norms are added in the order of the parameters, ordering rule 12.
/// PyTorch: torch.nn.utils.clip_grad_norm_.
Tensor clip_grad_norm_(const TensorList& parameters, double max_norm, double p = 2, bool error_if_nonfinite = false);
/// Bounds every element of the gradients to [-value, value], in place.
///
/// Throws: ValueError when value is negative.
/// PyTorch: torch.nn.utils.clip_grad_value_.
void clip_grad_value_(const TensorList& parameters, double value);

}  // namespace ordo::optim
