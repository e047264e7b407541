// Elementwise comparisons and logic: eq, ne, lt, le, gt, ge, logical_and, logical_or
// (kernels/elementwise/comparison.def), isnan, isinf, isfinite and logical_not (the predicates of
// kernels/elementwise/functions.def). Sizes broadcast, operands promote as in arithmetic.h, the result is a bool
// tensor; nothing here has a gradient. Comparisons with NaN are false, but for ne. Errors as in arithmetic.h.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// Comparisons are of two tensors, or of a tensor and a number. The list, a row each: what it computes.
#define ORDO_COMPARISON(name, ...)               \
  Tensor name(const Tensor& a, const Tensor& b); \
  Tensor name(const Tensor& a, Scalar b);
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL(name, ...) Tensor name(const Tensor& a, const Tensor& b);
#include <ordo/kernels/elementwise/comparison.def>

// Questions about each element of one tensor.
#define ORDO_PREDICATE(name, ...) Tensor name(const Tensor& t);
#include <ordo/kernels/elementwise/functions.def>

/// Masks: and, or, exclusive or, not. Only for bool tensors (DTypeError); sizes broadcast.
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator~(const Tensor& t);

inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }

/// bool, element by element: a == b, or |a - b| is finite and at most atol + |rtol b|; with equal_nan also where both
/// are NaN. Sizes broadcast; one dtype (DTypeError), integers being compared as float32. ValueError for negative or NaN
/// tolerances. As torch.isclose.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether isclose holds for all elements. Waits for the device.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether both have one shape and equal elements, of promoted dtypes; NaN equals nothing. DeviceError unless both are
/// on one device. Waits for it. As torch.equal.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace ordo
