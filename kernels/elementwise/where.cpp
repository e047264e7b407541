#include <ordo/kernels/elementwise/where.h>

#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"where", "masked_fill"}, {.family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OPS({"lerp", "addcdiv"}, {.family = "elementwise", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "addcmul", .family = "elementwise", .dtypes = kNumericTypes});

namespace {

void expect_mask(const char* op, const char* argument, const Tensor& mask) {
  detail::expect_defined(op, mask, argument);
  ORDO_CHECK(mask.dtype() == boolean, DTypeError, op, "{} must be a bool tensor, not {}", argument, mask.dtype());
}

void choose(const Tensor& out, const Tensor& condition, const Operand& a, const Operand& b) {
  LoopArgs<3> args;
  args.dtype = out.dtype();
  if (!a.is_tensor()) args.in[1].number = int64_t(element_bits(a.scalar(), args.dtype));
  if (!b.is_tensor()) args.in[2].number = int64_t(element_bits(b.scalar(), args.dtype));
  ORDO_LOOP_OP("where", where).run(args, out.impl(), {condition.impl(), a.impl(), b.impl()});
}

}  // namespace

Tensor where(const Tensor& condition, const Operand& a, const Operand& b) {
  const ordo::detail::OperationName name("where");
  expect_mask("where", "condition", condition);
  Dims sizes = condition.sizes();
  for (const Operand* o : {&a, &b}) {
    if (!o->is_tensor()) continue;
    detail::expect_defined("where", o->tensor(), o == &a ? "input" : "other");
    detail::expect_same_device("where", condition, o->tensor());
    sizes = broadcast_sizes("where", sizes, o->tensor().sizes());
  }
  const DType dtype = promote_operands(a, b);
  for (const Operand* o : {&a, &b})
    if (!o->is_tensor()) detail::expect_fits("where", o->scalar(), dtype);
  const Tensor held_a = a.is_tensor() ? cast(a.tensor(), dtype) : Tensor();
  const Tensor held_b = b.is_tensor() ? cast(b.tensor(), dtype) : Tensor();
  Tensor r = detail::result(sizes, dtype, condition.device());
  choose(r, condition, a.is_tensor() ? Operand(held_a) : a, b.is_tensor() ? Operand(held_b) : b);
  return r;
}

const Tensor& masked_fill_(const Tensor& t, const Tensor& mask, Scalar value) {
  const ordo::detail::OperationName name("masked_fill_");
  detail::expect_defined("masked_fill_", t, "self");
  expect_mask("masked_fill_", "mask", mask);
  detail::expect_same_device("masked_fill_", t, mask);
  expect_writable("masked_fill_", t);
  expect_in_place_dtype("masked_fill_", t.dtype(), promote_operands(t, value));
  detail::expect_fits("masked_fill_", value, t.dtype());
  ORDO_CHECK(broadcast_sizes("masked_fill_", t.sizes(), mask.sizes()) == t.sizes(), ShapeError, "masked_fill_",
             "the mask's sizes {} do not broadcast to {}", mask.sizes(), t.sizes());
  choose(t, partly_overlap(t, mask) ? clone(mask) : mask, value, t);
  return t;
}

namespace {

/// What all pairs promote to; two 0-d tensors do not decide beside one with dimensions.
DType promoted(const Tensor& a, const Tensor& b, const Tensor& c) {
  const bool decided = a.dim() > 0 || b.dim() > 0 || c.dim() > 0;
  DType dtype = boolean;
  for (const auto& [x, y] : {std::pair(&a, &b), std::pair(&a, &c), std::pair(&b, &c)})
    if (!decided || x->dim() > 0 || y->dim() > 0) dtype = promote(dtype, promote_operands(*x, *y));
  return dtype;
}

/// What floating functions and addcmul share; `second` and `third` are names of arguments.
struct TernaryOp {
  LoopOp<3> op;
  const char *second, *third;
  bool floating;

  Tensor operator()(const Tensor& a, const Tensor& b, const Operand& c, Scalar value = 1) const {
    const char* name = op.name;
    const ordo::detail::OperationName operation(name);
    detail::expect_defined(name, a, "input");
    detail::expect_defined(name, b, second);
    if (c.is_tensor()) detail::expect_defined(name, c.tensor(), third);
    detail::expect_same_device(name, a, b);
    if (c.is_tensor()) detail::expect_same_device(name, a, c.tensor());
    const DType dtype = c.is_tensor() ? promoted(a, b, c.tensor()) : promote_operands(a, b);
    ORDO_CHECK(!floating || is_floating(dtype), DTypeError, name, "takes floating tensors, not {}", dtype);
    detail::expect_not_bool(name, dtype);
    ORDO_CHECK(is_floating(dtype) || !value.is_floating(), DTypeError, name,
               "value = {} needs floating tensors; these are {}", value.to_double(), dtype);
    if (!is_floating(dtype)) detail::expect_fits(name, value, dtype);
    return op({a, b, c}, dtype, dtype, {value});
  }
};

constexpr TernaryOp kLerp{ORDO_LOOP_OP("lerp", lerp), "end", "weight", true},
    kAddcmul{ORDO_LOOP_OP("addcmul", addcmul), "tensor1", "tensor2", false},
    kAddcdiv{ORDO_LOOP_OP("addcdiv", addcdiv), "tensor1", "tensor2", true};

}  // namespace

Tensor lerp(const Tensor& a, const Tensor& b, const Operand& weight) { return kLerp(a, b, weight); }
Tensor addcmul(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value) { return kAddcmul(a, b, c, value); }
Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value) { return kAddcdiv(a, b, c, value); }

}  // namespace ordo::kernels
