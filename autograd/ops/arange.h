// Evenly spaced numbers.
#pragma once

#include <ordo/engine/tensor.h>

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

}  // namespace ordo
