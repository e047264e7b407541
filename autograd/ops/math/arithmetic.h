// Elementwise arithmetic. Sizes broadcast and dtypes promote as in PyTorch: two tensors with dimensions give the
// smallest dtype that holds both; 0-d tensors and numbers raise the dtype only to a higher kind (bool < integer <
// floating). Arithmetic is IEEE's, in float or double; half types compute in float and round once, at the store.
//
// All are differentiable and run on every device. A gradient that broadcasting repeated is added up, by ordering rule 2
// (docs/ordering.md). ValueError for an undefined tensor.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// a + alpha b, elementwise; of bool tensors, a or b.
///
/// Shapes: any that broadcast.
/// Dtypes: any; they promote.
/// Throws: ShapeError when sizes do not broadcast; DeviceError when the tensors are on different devices; DTypeError
/// when alpha is floating and the result is not, or alpha is not 1 for bool; ValueError when the result is of integers
/// and a number does not fit its dtype.
/// Determinism: the same bits on every device at every level: each element has one writer.
/// Gradient: of a, grad; of b, alpha grad.
/// PyTorch: torch.add.
Tensor add(const Tensor& a, const Tensor& b, Scalar alpha = 1);
Tensor add(const Tensor& a, Scalar b, Scalar alpha = 1);

/// a - alpha b, elementwise.
///
/// Shapes: as add.
/// Dtypes: any but bool; they promote.
/// Throws: as add; DTypeError also when the result is bool.
/// Determinism: as add.
/// Gradient: of a, grad; of b, -alpha grad.
/// PyTorch: torch.sub.
Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha = 1);
Tensor sub(const Tensor& a, Scalar b, Scalar alpha = 1);
Tensor sub(Scalar a, const Tensor& b);

/// a b, elementwise; of bool tensors, a and b.
///
/// Shapes, Dtypes, Throws, Determinism: as add.
/// Gradient: of a, grad b; of b, grad a.
/// PyTorch: torch.mul.
Tensor mul(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, Scalar b);

/// a / b, elementwise.
///
/// Shapes: as add.
/// Dtypes: any; they promote, and integers and bool give float32.
/// Throws: ShapeError, DeviceError as add.
/// Determinism: as add.
/// Gradient: of a, grad / b; of b, -(grad / b) (a / b).
/// PyTorch: torch.div.
Tensor div(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, Scalar b);
Tensor div(Scalar a, const Tensor& b);

/// How div rounds its quotient: towards zero, or down.
enum class RoundingMode : unsigned char { trunc, floor };
/// a / b rounded to an integer, elementwise; floor is floor_divide. Integers stay integers, and divided by 0 give 0. The
/// quotient of floating numbers is rounded to their dtype before trunc.
///
/// Shapes: as add.
/// Dtypes: any but bool; they promote.
/// Throws: ShapeError, DeviceError as add; DTypeError when the result is bool; ValueError when a number does not fit an
/// integer dtype.
/// Determinism: as add.
/// Gradient: of a, 0; of b, 0.
/// PyTorch: torch.div with rounding_mode.
Tensor div(const Tensor& a, const Tensor& b, RoundingMode rounding_mode);
Tensor div(const Tensor& a, Scalar b, RoundingMode rounding_mode);
Tensor div(Scalar a, const Tensor& b, RoundingMode rounding_mode);

/// a to the power of b, elementwise. Special cases are C's: x^0 = 1^y = 1; a negative base needs an integer power, else
/// NaN. Integers wrap, and their negative powers are 0 unless the base is 1 or -1.
///
/// Shapes: as add.
/// Dtypes: any but bool; they promote.
/// Throws: ShapeError, DeviceError as add; DTypeError when the result is bool; ValueError when the result is of
/// integers and b is a negative number, or a number does not fit its dtype.
/// Determinism: as add; the function is Ordo's own.
/// Gradient: of a, grad b a^(b - 1), 0 where b is 0; of b, grad a^b log(a), 0 where a is 0 and b not negative.
/// PyTorch: torch.pow.
Tensor pow(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, Scalar b);
Tensor pow(Scalar a, const Tensor& b);

/// The smaller and the larger of a and b, elementwise; NaN if either is NaN.
///
/// Shapes, Dtypes: as add.
/// Throws: ShapeError, DeviceError as add.
/// Determinism: as add.
/// Gradient: grad to the one that was taken, half of it to each where they are equal, all of it to both at a NaN.
/// PyTorch: torch.minimum, torch.maximum.
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor maximum(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
inline Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
inline Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return mul(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
inline Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }

}  // namespace ordo
