// Elementwise comparisons and logic, of two tensors or of a tensor and a number, and questions about each element x.
// What these lines say holds for all, unless a function says otherwise:
//
// Shapes: any that broadcast.
// Dtypes: any; operands promote as in arithmetic.h, and the result is bool. Comparisons with NaN are false, but for ne.
// Throws: ShapeError when sizes do not broadcast; DeviceError when the tensors are on different devices; ValueError
// when a tensor is undefined, or integers are compared with a number that does not fit their dtype.
// Determinism: the same bits on every device at every level.
// Gradient: none.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// -- rows of kernels/elementwise/comparison.def
/// Whether a == b.
/// PyTorch: torch.eq.
Tensor eq(const Tensor& a, const Tensor& b);
Tensor eq(const Tensor& a, Scalar b);
/// Whether a != b; true where one is NaN.
/// PyTorch: torch.ne.
Tensor ne(const Tensor& a, const Tensor& b);
Tensor ne(const Tensor& a, Scalar b);
/// Whether a < b.
/// PyTorch: torch.lt.
Tensor lt(const Tensor& a, const Tensor& b);
Tensor lt(const Tensor& a, Scalar b);
/// Whether a <= b.
/// PyTorch: torch.le.
Tensor le(const Tensor& a, const Tensor& b);
Tensor le(const Tensor& a, Scalar b);
/// Whether a > b.
/// PyTorch: torch.gt.
Tensor gt(const Tensor& a, const Tensor& b);
Tensor gt(const Tensor& a, Scalar b);
/// Whether a >= b.
/// PyTorch: torch.ge.
Tensor ge(const Tensor& a, const Tensor& b);
Tensor ge(const Tensor& a, Scalar b);
/// Whether both are true: not zero (NaN is true).
/// PyTorch: torch.logical_and.
Tensor logical_and(const Tensor& a, const Tensor& b);
/// Whether one is true: not zero (NaN is true).
/// PyTorch: torch.logical_or.
Tensor logical_or(const Tensor& a, const Tensor& b);
/// Whether just one is true: not zero (NaN is true).
/// PyTorch: torch.logical_xor.
Tensor logical_xor(const Tensor& a, const Tensor& b);
// --

// -- rows of kernels/elementwise/functions.def
/// Whether x is NaN.
/// PyTorch: torch.isnan.
Tensor isnan(const Tensor& input);
/// Whether x is an infinity.
/// PyTorch: torch.isinf.
Tensor isinf(const Tensor& input);
/// Whether x is neither NaN nor an infinity.
/// PyTorch: torch.isfinite.
Tensor isfinite(const Tensor& input);
/// Whether x is plus infinity.
/// PyTorch: torch.isposinf.
Tensor isposinf(const Tensor& input);
/// Whether x is minus infinity.
/// PyTorch: torch.isneginf.
Tensor isneginf(const Tensor& input);
/// Whether x is zero.
/// PyTorch: torch.logical_not.
Tensor logical_not(const Tensor& input);
// --

/// And, or, exclusive or, not: of masks, and of the bits of integers.
///
/// Shapes: as eq.
/// Dtypes: integers and bool; they promote.
/// Throws: DTypeError when an operand is floating; ShapeError, DeviceError as eq.
/// Determinism, Gradient: as eq.
/// PyTorch: the same operators.
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator~(const Tensor& t);
Tensor operator&(const Tensor& a, Scalar b);
Tensor operator|(const Tensor& a, Scalar b);
Tensor operator^(const Tensor& a, Scalar b);

inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
inline Tensor operator==(Scalar a, const Tensor& b) { return eq(b, a); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
inline Tensor operator!=(Scalar a, const Tensor& b) { return ne(b, a); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
inline Tensor operator<(Scalar a, const Tensor& b) { return gt(b, a); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
inline Tensor operator<=(Scalar a, const Tensor& b) { return ge(b, a); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
inline Tensor operator>(Scalar a, const Tensor& b) { return lt(b, a); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }
inline Tensor operator>=(Scalar a, const Tensor& b) { return le(b, a); }

/// a == b, or |a - b| is finite and at most atol + |rtol b|; with equal_nan also where both are NaN.
///
/// Shapes: as eq.
/// Dtypes: any, one for both; integers are compared as float32. The result is bool.
/// Throws: ShapeError, DeviceError as eq; DTypeError when dtypes differ; ValueError when a tolerance is negative or
/// NaN.
/// Determinism, Gradient: as eq.
/// PyTorch: torch.isclose.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether isclose holds for all elements. Waits for the device.
///
/// Shapes, Dtypes, Throws, Determinism, Gradient: as isclose.
/// PyTorch: torch.allclose.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8, bool equal_nan = false);
/// Whether both have one shape and equal elements; NaN equals nothing. Waits for the device.
///
/// Shapes: any; two that differ are not equal.
/// Dtypes: any; they promote.
/// Throws: DeviceError as eq.
/// Determinism, Gradient: as eq.
/// PyTorch: torch.equal.
bool equal(const Tensor& a, const Tensor& b);

}  // namespace ordo
