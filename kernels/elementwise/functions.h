// Functions of each element. Plain: no autograd.
#pragma once

#include <optional>

#include <ordo/engine/tensor.h>

namespace ordo::kernels {

// Any dtype but bool; the result has the same. Integers wrap.
Tensor neg(const Tensor& t);
Tensor abs(const Tensor& t);
Tensor square(const Tensor& t);
Tensor sign(const Tensor& t);   ///< -1, 0 or 1; NaN for NaN
Tensor relu(const Tensor& t);   ///< max(t, 0); NaN for NaN
Tensor floor(const Tensor& t);  ///< integers as they are
Tensor ceil(const Tensor& t);
Tensor round(const Tensor& t);  ///< halfway cases to even
/// min(max(t, low), high); promotes like t + low.
Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high);

// Floating results; integers and bool count as float32.
Tensor exp(const Tensor& t);
Tensor expm1(const Tensor& t);
Tensor log(const Tensor& t);
Tensor log1p(const Tensor& t);
Tensor sqrt(const Tensor& t);
Tensor rsqrt(const Tensor& t);
Tensor reciprocal(const Tensor& t);
Tensor sin(const Tensor& t);
Tensor cos(const Tensor& t);
Tensor tanh(const Tensor& t);
Tensor sigmoid(const Tensor& t);
Tensor erf(const Tensor& t);
Tensor gelu(const Tensor& t);       ///< t Phi(t)
Tensor gelu_tanh(const Tensor& t);  ///< its approximation by tanh

// bool results, of any dtype.
Tensor isnan(const Tensor& t);
Tensor isinf(const Tensor& t);
Tensor isfinite(const Tensor& t);
Tensor logical_not(const Tensor& t);

}  // namespace ordo::kernels
