#include <ordo/kernels/elementwise/comparison.h>

#include <ordo/engine/op_registry.h>
#include <ordo/kernels/elementwise/comparison_loops.h>

namespace ordo::kernels {

#define ORDO_REGISTER_COMPARISON(op) \
  ORDO_REGISTER_OP(                  \
      {.name = #op, .family = "elementwise", .dtypes = kAllTypes, .differentiable = false, .note = "gives bool"})
ORDO_REGISTER_COMPARISON(eq);
ORDO_REGISTER_COMPARISON(ne);
ORDO_REGISTER_COMPARISON(lt);
ORDO_REGISTER_COMPARISON(le);
ORDO_REGISTER_COMPARISON(gt);
ORDO_REGISTER_COMPARISON(ge);
ORDO_REGISTER_COMPARISON(logical_and);
ORDO_REGISTER_COMPARISON(logical_or);

namespace {

Tensor compare(const BinaryOp& op, const Operand& a, const Operand& b) {
  expect_operands(op.name, a, b);
  return op(a, b, promote_operands(a, b), boolean);
}

Tensor combine(const BinaryOp& op, const Operand& a, const Operand& b) {
  expect_operands(op.name, a, b);
  return op(a, b, boolean, boolean);
}

}  // namespace

Tensor eq(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("eq", eq), a, b); }
Tensor ne(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("ne", ne), a, b); }
Tensor lt(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("lt", lt), a, b); }
Tensor le(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("le", le), a, b); }
Tensor gt(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("gt", lt), b, a); }
Tensor ge(const Operand& a, const Operand& b) { return compare(ORDO_BINARY_OP("ge", le), b, a); }

Tensor logical_and(const Operand& a, const Operand& b) {
  return combine(ORDO_BINARY_OP("logical_and", logical_and), a, b);
}
Tensor logical_or(const Operand& a, const Operand& b) {
  return combine(ORDO_BINARY_OP("logical_or", logical_or), a, b);
}

}  // namespace ordo::kernels
