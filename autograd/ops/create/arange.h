// Tensors by rule: evenly spaced numbers, and the identity matrix. With options.requires_grad they are leaves:
// DTypeError when their dtype is not floating.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// start, start + step, ... up to but excluding end: number i is start + i step, computed in int64 where all three are
/// integers and in double otherwise, then rounded to the dtype.
///
/// Shapes: ceil((end - start) / step) numbers.
/// Dtypes: any but bool; by default int64 when all three are integers, else float32.
/// Throws: ValueError when step is 0 or leads away from end, when a number is not finite, or does not fit the dtype;
/// DTypeError when the dtype is bool; ShapeError when there are more numbers than int64 counts.
/// Determinism: the same bits on every device at every level.
/// Gradient: none.
/// PyTorch: torch.arange.
Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options);
Tensor arange(Scalar start, Scalar end, Scalar step = 1);
Tensor arange(Scalar end);
inline Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  return arange(start, end, step, TensorOptions{dtype});
}

/// `steps` numbers from start to end, both included: start + i (end - start) / (steps - 1), computed from the nearer
/// end in double. One step gives start.
///
/// Shapes: [steps].
/// Dtypes: floating.
/// Throws: ValueError when steps is negative, or an end does not fit the dtype; DTypeError when that is not floating.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.linspace.
Tensor linspace(double start, double end, int64_t steps, TensorOptions options = {});
/// base to the power of each of linspace(start, end, steps), computed in double.
///
/// Shapes, Dtypes: as linspace.
/// Throws: as linspace, of the first and the last power.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.logspace.
Tensor logspace(double start, double end, int64_t steps, double base = 10, TensorOptions options = {});

/// The matrix with ones on the diagonal and zeros elsewhere.
///
/// Shapes: [n, m]; m is n where it is not given.
/// Dtypes: any.
/// Throws: ValueError when a size is negative.
/// Determinism, Gradient: as arange.
/// PyTorch: torch.eye.
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
Tensor eye(int64_t n, TensorOptions options = {});

}  // namespace ordo
