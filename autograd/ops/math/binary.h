// Functions of two operands a and b: two tensors, or a tensor and a number on either side. `grad` is the gradient of
// the result y; what broadcasting repeated is added up by ordering rule 2 (docs/ordering.md). What these lines say
// holds for all, unless a function says otherwise:
//
// Shapes: any that broadcast.
// Dtypes: any; they promote as in arithmetic.h, and integers and bool give float32.
// Throws: ShapeError when sizes do not broadcast; DeviceError when the tensors are on different devices; DTypeError
// when the function does not take the dtype; ValueError when a tensor is undefined, or the result is of integers and a
// number does not fit its dtype.
// Determinism: the same bits on every device at every level.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

// -- rows of kernels/elementwise/binary_functions.def
/// The remainder of a / b, with the sign of a: a - trunc(a / b) b without rounding. Of integers by 0: 0.
/// Dtypes: any but bool; they promote.
/// Gradient: of a, grad; of b, grad * neg(trunc(a / b)).
/// PyTorch: torch.fmod.
Tensor fmod(const Tensor& a, const Tensor& b);
Tensor fmod(const Tensor& a, Scalar b);
Tensor fmod(Scalar a, const Tensor& b);
/// The remainder of a / b, with the sign of b: a - floor(a / b) b. Of integers by 0: 0.
/// Dtypes: any but bool; they promote.
/// Gradient: of a, grad; of b, grad * neg(floor_divide(a, b)).
/// PyTorch: torch.remainder.
Tensor remainder(const Tensor& a, const Tensor& b);
Tensor remainder(const Tensor& a, Scalar b);
Tensor remainder(Scalar a, const Tensor& b);
/// floor(a / b). Of integers by 0: 0.
/// Dtypes: any but bool; they promote.
/// Gradient: of a, 0; of b, 0.
/// PyTorch: torch.floor_divide.
Tensor floor_divide(const Tensor& a, const Tensor& b);
Tensor floor_divide(const Tensor& a, Scalar b);
Tensor floor_divide(Scalar a, const Tensor& b);
/// The larger; where one is NaN, the other.
/// Dtypes: any but bool; they promote.
/// Gradient: grad to the one that was taken, half of it to each where they are equal.
/// PyTorch: torch.fmax.
Tensor fmax(const Tensor& a, const Tensor& b);
Tensor fmax(const Tensor& a, Scalar b);
Tensor fmax(Scalar a, const Tensor& b);
/// The smaller; where one is NaN, the other.
/// Dtypes: any but bool; they promote.
/// Gradient: grad to the one that was taken, half of it to each where they are equal.
/// PyTorch: torch.fmin.
Tensor fmin(const Tensor& a, const Tensor& b);
Tensor fmin(const Tensor& a, Scalar b);
Tensor fmin(Scalar a, const Tensor& b);
/// 0 where a < 0 or a is NaN, b where a is 0, 1 where a > 0.
/// Dtypes: any but bool; they promote.
/// Gradient: of a, 0; of b, grad where a is 0, else 0.
/// PyTorch: torch.heaviside.
Tensor heaviside(const Tensor& a, const Tensor& b);
Tensor heaviside(const Tensor& a, Scalar b);
Tensor heaviside(Scalar a, const Tensor& b);
/// sqrt(a^2 + b^2), which does not overflow on the way.
/// Gradient: of a, grad * (a / y); of b, grad * (b / y).
/// PyTorch: torch.hypot.
Tensor hypot(const Tensor& a, const Tensor& b);
Tensor hypot(const Tensor& a, Scalar b);
Tensor hypot(Scalar a, const Tensor& b);
/// log(e^a + e^b).
/// Gradient: of a, grad * sigmoid(a - b); of b, grad * sigmoid(b - a).
/// PyTorch: torch.logaddexp.
Tensor logaddexp(const Tensor& a, const Tensor& b);
Tensor logaddexp(const Tensor& a, Scalar b);
Tensor logaddexp(Scalar a, const Tensor& b);
/// a log(b); 0 where a is 0, NaN where b is NaN.
/// Gradient: of a, grad * log(b), 0 where a is 0 and b <= 0; of b, grad * a / b.
/// PyTorch: torch.xlogy.
Tensor xlogy(const Tensor& a, const Tensor& b);
Tensor xlogy(const Tensor& a, Scalar b);
Tensor xlogy(Scalar a, const Tensor& b);
/// |a| with the sign of b.
/// Gradient: of a, grad * (y / a), 0 where a is 0; of b, 0.
/// PyTorch: torch.copysign.
Tensor copysign(const Tensor& a, const Tensor& b);
Tensor copysign(const Tensor& a, Scalar b);
Tensor copysign(Scalar a, const Tensor& b);
/// The angle of the point (b, a), from -pi to pi.
/// Gradient: of a, grad * b / (a^2 + b^2); of b, -grad * a / (a^2 + b^2); 0 at the origin.
/// PyTorch: torch.atan2.
Tensor atan2(const Tensor& a, const Tensor& b);
Tensor atan2(const Tensor& a, Scalar b);
Tensor atan2(Scalar a, const Tensor& b);
/// The bits that both have; of bool, a and b.
/// Dtypes: integers and bool; they promote.
/// Gradient: none.
/// PyTorch: torch.bitwise_and.
Tensor bitwise_and(const Tensor& a, const Tensor& b);
Tensor bitwise_and(const Tensor& a, Scalar b);
Tensor bitwise_and(Scalar a, const Tensor& b);
/// The bits that one has; of bool, a or b.
/// Dtypes: integers and bool; they promote.
/// Gradient: none.
/// PyTorch: torch.bitwise_or.
Tensor bitwise_or(const Tensor& a, const Tensor& b);
Tensor bitwise_or(const Tensor& a, Scalar b);
Tensor bitwise_or(Scalar a, const Tensor& b);
/// The bits that just one has; of bool, a != b.
/// Dtypes: integers and bool; they promote.
/// Gradient: none.
/// PyTorch: torch.bitwise_xor.
Tensor bitwise_xor(const Tensor& a, const Tensor& b);
Tensor bitwise_xor(const Tensor& a, Scalar b);
Tensor bitwise_xor(Scalar a, const Tensor& b);
// --

inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
inline Tensor operator%(Scalar a, const Tensor& b) { return remainder(a, b); }

}  // namespace ordo
