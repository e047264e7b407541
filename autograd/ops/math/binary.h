// Functions of two operands: the rows of kernels/elementwise/binary_functions.def (remainder, fmod, floor_divide, fmax,
// fmin, hypot, logaddexp, xlogy, copysign, bitwise_and, ...), where each says what it computes. Of two tensors, or of a
// tensor and a number on either side; sizes broadcast and dtypes promote as in arithmetic.h. All run on every device
// and give the same bits on each. Errors: as in arithmetic.h, and DTypeError for a dtype that a function does not take.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// The list, a row each: what it computes, which dtypes it takes and gives, and its derivatives.
#define ORDO_FUNCTION2(name, ...)                \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, Scalar b);        \
  Tensor name(Scalar a, const Tensor& b);
#include <ordo/kernels/elementwise/binary_functions.def>

inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
inline Tensor operator%(Scalar a, const Tensor& b) { return remainder(a, b); }

}  // namespace ordo
