// Functions of each element: functions.def says what each computes, and of which dtypes. Plain: no autograd.
#pragma once

#include <optional>

#include <ordo/engine/tensor/tensor.h>

namespace ordo::kernels {

#define ORDO_FUNCTION(name, ...) Tensor name(const Tensor& t);
#define ORDO_FUNCTION_OF(name, p, ...) Tensor name(const Tensor& t, Scalar p);
#define ORDO_FUNCTION_OF2(name, p, p_standard, q, ...) Tensor name(const Tensor& t, Scalar p, Scalar q);
#define ORDO_PREDICATE ORDO_FUNCTION
// Both operands are floating, of one shape, dtype and device.
#define ORDO_GRADIENT(name, ...) Tensor name(const Tensor& grad, const Tensor& v);
#define ORDO_GRADIENT_OF2(name, function, p, q, ...) \
  Tensor name(const Tensor& grad, const Tensor& v, Scalar p, Scalar q);
#include <ordo/kernels/elementwise/functions.def>

/// min(max(t, low), high); promotes like t + low.
Tensor clamp(const Tensor& t, std::optional<Scalar> low, std::optional<Scalar> high);

/// t with other numbers for NaN, infinity and minus infinity: the dtype's largest and lowest where none is given.
Tensor nan_to_num(const Tensor& t, double nan, std::optional<double> posinf, std::optional<double> neginf);

// Floating dtypes only.
Tensor gelu(const Tensor& t);       ///< t Phi(t)
Tensor gelu_tanh(const Tensor& t);  ///< its approximation by tanh
Tensor digamma(const Tensor& t);    ///< the derivative of lgamma
Tensor trigamma(const Tensor& t);   ///< that of digamma

}  // namespace ordo::kernels
