#include <ordo/kernels/elementwise/where.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/copy/strided.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "where", .family = "elementwise", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "masked_fill", .family = "elementwise", .dtypes = kAllTypes});

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

}  // namespace ordo::kernels
