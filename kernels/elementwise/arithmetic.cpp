#include <ordo/kernels/elementwise/arithmetic.h>

#include <ordo/engine/check.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/elementwise/arithmetic_loops.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "add", .family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "sub", .family = "elementwise", .dtypes = kNumericTypes});
ORDO_REGISTER_OP({.name = "mul", .family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "div", .family = "elementwise", .dtypes = kAllTypes, .note = "integers give float32"});
ORDO_REGISTER_OP({.name = "pow", .family = "elementwise", .dtypes = kNumericTypes});
ORDO_REGISTER_OP({.name = "minimum", .family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "maximum", .family = "elementwise", .dtypes = kAllTypes});

namespace {

constexpr BinaryOp kAdd = ORDO_BINARY_OP("add", add), kAddScaled = ORDO_BINARY_OP("add", add_scaled),
                   kSub = ORDO_BINARY_OP("sub", sub), kSubScaled = ORDO_BINARY_OP("sub", add_scaled),
                   kMul = ORDO_BINARY_OP("mul", mul), kDiv = ORDO_BINARY_OP("div", div),
                   kPow = ORDO_BINARY_OP("pow", pow), kMinimum = ORDO_BINARY_OP("minimum", minimum),
                   kMaximum = ORDO_BINARY_OP("maximum", maximum);

bool is(const Scalar& s, int value) { return s.to_double() == value; }

// The dtype a sum or difference is computed in, its alpha being acceptable to it.
DType sum_dtype(const char* op, const Operand& a, const Operand& b, const Scalar& alpha) {
  expect_operands(op, a, b);
  const DType t = promote_operands(a, b);
  ORDO_CHECK(!alpha.is_floating() || is_floating(t), DTypeError, op, "alpha = {} needs floating tensors; these are {}",
             alpha.to_double(), t);
  ORDO_CHECK(t != boolean || (op[0] == 'a' && is(alpha, 1)), DTypeError, op,
             "is not defined for bool tensors{}; use logical operations or convert with to()",
             op[0] == 'a' ? " unless alpha is 1" : "");
  if (is_integral(t)) detail::expect_fits(op, alpha, t);
  return t;
}

DType quotient_dtype(const char* op, const Operand& a, const Operand& b) {
  expect_operands(op, a, b);
  const DType t = promote_operands(a, b);
  return is_floating(t) ? t : float32;
}

}  // namespace

Tensor add(const Operand& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("add", a, b, alpha);
  return (is(alpha, 1) ? kAdd : kAddScaled)(a, b, t, t, alpha);
}

Tensor sub(const Operand& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("sub", a, b, alpha);
  return is(alpha, 1) ? kSub(a, b, t, t) : kSubScaled(a, b, t, t, negated(alpha));
}

Tensor mul(const Operand& a, const Operand& b) {
  expect_operands("mul", a, b);
  return kMul(a, b);
}

Tensor div(const Operand& a, const Operand& b) {
  const DType t = quotient_dtype("div", a, b);
  return kDiv(a, b, t, t);
}

Tensor pow(const Operand& a, const Operand& b) {
  expect_operands("pow", a, b);
  const DType t = promote_operands(a, b);
  detail::expect_not_bool("pow", t);
  if (!b.is_tensor()) {
    const double exponent = b.scalar().to_double();
    ORDO_CHECK(is_floating(t) || exponent >= 0, ValueError, "pow",
               "integers to the negative power {} are not integers; convert the tensor to a floating dtype", exponent);
    if (exponent == 2 && a.tensor().dtype() == t) return square(a.tensor());
  }
  return kPow(a, b, t, t);
}

Tensor minimum(const Operand& a, const Operand& b) {
  expect_operands("minimum", a, b);
  return kMinimum(a, b);
}

Tensor maximum(const Operand& a, const Operand& b) {
  expect_operands("maximum", a, b);
  return kMaximum(a, b);
}

const Tensor& add_(const Tensor& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("add_", a, b, alpha);
  return (is(alpha, 1) ? kAdd : kAddScaled).in_place("add_", a, b, t, alpha);
}

const Tensor& sub_(const Tensor& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("sub_", a, b, alpha);
  return is(alpha, 1) ? kSub.in_place("sub_", a, b, t) : kSubScaled.in_place("sub_", a, b, t, negated(alpha));
}

const Tensor& mul_(const Tensor& a, const Operand& b) {
  expect_operands("mul_", a, b);
  return kMul.in_place("mul_", a, b, promote_operands(a, b));
}

const Tensor& div_(const Tensor& a, const Operand& b) {
  return kDiv.in_place("div_", a, b, quotient_dtype("div_", a, b));
}

}  // namespace ordo::kernels
