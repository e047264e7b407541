// Tensors by rule: evenly spaced numbers, and the identity matrix.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// start, start + step, ... up to but excluding end: ceil((end - start) / step) numbers, each start + i step, computed
/// in int64 for integer dtypes and in double otherwise, then rounded to the dtype. ValueError for a step of 0 or of the
/// wrong sign, and when a number does not fit the dtype. int64 by default when all three are integers, else float32.
Tensor arange(Scalar start, Scalar end, Scalar step, TensorOptions options);
Tensor arange(Scalar start, Scalar end, Scalar step = 1);
Tensor arange(Scalar end);
inline Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  return arange(start, end, step, TensorOptions{dtype});
}

/// `steps` numbers from start to end, both included: start + i (end - start) / (steps - 1), computed from the nearer
/// end in double. One step gives start. ValueError for negative steps, and when an end does not fit the dtype.
Tensor linspace(double start, double end, int64_t steps, TensorOptions options = {});
/// base to the power of each of linspace(start, end, steps), computed in double. ValueError where the first or the last
/// does not fit the dtype. As torch.logspace.
Tensor logspace(double start, double end, int64_t steps, double base = 10, TensorOptions options = {});

/// The n x m matrix (m is n where it is not given) with ones on the diagonal and zeros elsewhere; any dtype. ValueError
/// for a negative size. As torch.eye.
Tensor eye(int64_t n, int64_t m, TensorOptions options = {});
Tensor eye(int64_t n, TensorOptions options = {});

}  // namespace ordo
