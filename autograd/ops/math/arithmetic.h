// Elementwise arithmetic. Sizes broadcast and dtypes promote as in PyTorch: two tensors with dimensions give the
// smallest dtype that holds both; 0-d tensors and numbers raise the dtype only to a higher kind (bool < integer <
// floating).
//
// All are differentiable, run on every device, and give the same bits on each: one writer per element, arithmetic in
// IEEE float or double (float for the half types, rounded once at the store). Errors: ShapeError when the sizes do not
// broadcast, DeviceError when the tensors are on different devices, ValueError for an undefined tensor.
#pragma once

#include <ordo/engine/tensor/tensor.h>

namespace ordo {

/// a + alpha b, elementwise. bool tensors: logical or. DTypeError for a floating alpha with integer tensors.
Tensor add(const Tensor& a, const Tensor& b, Scalar alpha = 1);
Tensor add(const Tensor& a, Scalar b, Scalar alpha = 1);

/// a - alpha b, elementwise. DTypeError for bool tensors.
Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha = 1);
Tensor sub(const Tensor& a, Scalar b, Scalar alpha = 1);
Tensor sub(Scalar a, const Tensor& b);

/// a b, elementwise. bool tensors: logical and.
Tensor mul(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, Scalar b);

/// a / b, elementwise; integers give float32.
Tensor div(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, Scalar b);
Tensor div(Scalar a, const Tensor& b);

/// a to the power of b, elementwise. Special cases are C's: x^0 = 1^y = 1; a negative base needs an integer power, else
/// NaN. Integers wrap, and their negative powers are 0 unless the base is 1 or -1 (ValueError when b is a number).
/// DTypeError for bool.
Tensor pow(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, Scalar b);
Tensor pow(Scalar a, const Tensor& b);

/// The smaller and the larger of a and b, elementwise; NaN if either is NaN. Where they are equal each gets half of the
/// gradient.
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
