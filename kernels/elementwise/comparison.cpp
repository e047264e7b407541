#include <ordo/kernels/elementwise/comparison.h>

#include <ordo/engine/calls/op_registry.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {
namespace {

#define ORDO_COMPARISON(name, ...) \
  ORDO_REGISTER_OPS({#name},       \
                    {.family = "elementwise", .dtypes = kAllTypes, .differentiable = false, .note = "gives bool"});
#define ORDO_EXCHANGED_COMPARISON ORDO_COMPARISON
#define ORDO_LOGICAL ORDO_COMPARISON
#include <ordo/kernels/elementwise/comparison.def>

Tensor compare(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  expect_operands(op.name, a, b);
  return op({a, b}, promote_operands(a, b), boolean);
}

Tensor combine(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  expect_operands(op.name, a, b);
  return op({a, b}, boolean, boolean);
}

}  // namespace

#define ORDO_COMPARISON(name, ...) \
  Tensor name(const Operand& a, const Operand& b) { return compare(ORDO_LOOP_OP(#name, name), a, b); }
#define ORDO_EXCHANGED_COMPARISON(name, other, ...) \
  Tensor name(const Operand& a, const Operand& b) { return compare(ORDO_LOOP_OP(#name, other), b, a); }
#define ORDO_LOGICAL(name, ...) \
  Tensor name(const Operand& a, const Operand& b) { return combine(ORDO_LOOP_OP(#name, name), a, b); }
#include <ordo/kernels/elementwise/comparison.def>

}  // namespace ordo::kernels
