#include <ordo/kernels/elementwise/arithmetic.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/device_loops.h>
#include <ordo/kernels/elementwise/functions.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"add", "mul", "minimum", "maximum"}, {.family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OPS({"sub", "pow"}, {.family = "elementwise", .dtypes = kNumericTypes});
ORDO_REGISTER_OP({.name = "div", .family = "elementwise", .dtypes = kAllTypes, .note = "integers give float32"});

namespace {

constexpr LoopOp kAdd = ORDO_LOOP_OP("add", add), kAddScaled = ORDO_LOOP_OP("add", add_scaled),
                 kSub = ORDO_LOOP_OP("sub", sub), kSubScaled = ORDO_LOOP_OP("sub", add_scaled),
                 kMul = ORDO_LOOP_OP("mul", mul), kDiv = ORDO_LOOP_OP("div", div), kPow = ORDO_LOOP_OP("pow", pow),
                 kMinimum = ORDO_LOOP_OP("minimum", minimum), kMaximum = ORDO_LOOP_OP("maximum", maximum);

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

Tensor promoted(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  expect_operands(op.name, a, b);
  const DType t = promote_operands(a, b);
  return op({a, b}, t, t);
}

/// Writes the result over a; errors name `op`. `compute` must be a's dtype, or is converted on the way.
const Tensor& in_place(const LoopOp<2>& f, const char* op, const Tensor& a, const Operand& b, DType compute,
                       Scalar alpha = 1) {
  const ordo::detail::OperationName operation(op);
  expect_writable(op, a);
  expect_in_place_dtype(op, a.dtype(), compute);
  if (b.is_tensor() && b.impl()->sizes != a.sizes())
    ORDO_CHECK(broadcast_sizes(op, a.sizes(), b.impl()->sizes) == a.sizes(), ShapeError, op,
               "in place, sizes {} would grow to hold the broadcast with {}", a.sizes(), b.impl()->sizes);
  if (compute != a.dtype()) return copy_(a, f({a, b}, compute, compute, {alpha}));
  if (!b.is_tensor() && is_integral(compute)) detail::expect_fits(op, b.scalar(), compute);
  Tensor other = b.is_tensor() ? cast(b.tensor(), compute) : Tensor();
  if (other.defined() && partly_overlap(a, other)) other = clone(other);
  LoopArgs<2> args;
  args.in[1].number = b.scalar();
  args.numbers.p = alpha;
  args.dtype = compute;
  f.run(args, a.impl(), {a.impl(), other.impl()});
  return a;
}

}  // namespace

Tensor add(const Operand& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("add", a, b, alpha);
  return (is(alpha, 1) ? kAdd : kAddScaled)({a, b}, t, t, {alpha});
}

Tensor sub(const Operand& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("sub", a, b, alpha);
  return is(alpha, 1) ? kSub({a, b}, t, t) : kSubScaled({a, b}, t, t, {negated(alpha)});
}

Tensor mul(const Operand& a, const Operand& b) { return promoted(kMul, a, b); }

Tensor div(const Operand& a, const Operand& b) {
  const DType t = quotient_dtype("div", a, b);
  return kDiv({a, b}, t, t);
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
  return kPow({a, b}, t, t);
}

Tensor minimum(const Operand& a, const Operand& b) { return promoted(kMinimum, a, b); }
Tensor maximum(const Operand& a, const Operand& b) { return promoted(kMaximum, a, b); }

const Tensor& add_(const Tensor& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("add_", a, b, alpha);
  return in_place(is(alpha, 1) ? kAdd : kAddScaled, "add_", a, b, t, alpha);
}

const Tensor& sub_(const Tensor& a, const Operand& b, Scalar alpha) {
  const DType t = sum_dtype("sub_", a, b, alpha);
  return is(alpha, 1) ? in_place(kSub, "sub_", a, b, t) : in_place(kSubScaled, "sub_", a, b, t, negated(alpha));
}

const Tensor& mul_(const Tensor& a, const Operand& b) {
  expect_operands("mul_", a, b);
  return in_place(kMul, "mul_", a, b, promote_operands(a, b));
}

const Tensor& div_(const Tensor& a, const Operand& b) {
  return in_place(kDiv, "div_", a, b, quotient_dtype("div_", a, b));
}

}  // namespace ordo::kernels
