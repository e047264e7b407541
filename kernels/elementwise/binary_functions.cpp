#include <ordo/kernels/elementwise/binary_functions.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {
namespace {

// -- rows of the registry, by kind

const OpInfo number_row{.family = "elementwise", .dtypes = kNumericTypes};
const OpInfo floating_row{.family = "elementwise", .dtypes = kAllTypes, .note = "integers give float32"};
const OpInfo integral_row{.family = "elementwise", .dtypes = kIntegralTypes, .differentiable = false};
#define ORDO_FUNCTION2(name, kind, ...) ORDO_REGISTER_OPS({#name}, kind##_row);
#include <ordo/kernels/elementwise/binary_functions.def>

ORDO_REGISTER_OPS({"prelu", "glu"}, {.family = "elementwise", .dtypes = kFloatingTypes});

// -- dtypes, by kind

Tensor number(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  const DType t = promote_operands(a, b);
  detail::expect_not_bool(op.name, t);
  return op({a, b}, t, t);
}

Tensor floating(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  const DType t = promote_operands(a, b), computed = is_floating(t) ? t : float32;
  return op({a, b}, computed, computed);
}

Tensor only_floating(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  const DType t = promote_operands(a, b);
  ORDO_CHECK(is_floating(t), DTypeError, op.name, "takes floating tensors, not {}", t);
  return op({a, b}, t, t);
}

Tensor integral(const LoopOp<2>& op, const Operand& a, const Operand& b) {
  const DType t = promote_operands(a, b);
  ORDO_CHECK(!is_floating(t), DTypeError, op.name, "takes integers and bool, not {}", t);
  return op({a, b}, t, t);
}

Tensor call(const LoopOp<2>& op, const Operand& a, const Operand& b,
            Tensor (*kind)(const LoopOp<2>&, const Operand&, const Operand&)) {
  expect_operands(op.name, a, b);
  return kind(op, a, b);
}

}  // namespace

#define ORDO_FUNCTION2(name, kind, ...) \
  Tensor name(const Operand& a, const Operand& b) { return call(ORDO_LOOP_OP(#name, name), a, b, kind); }
#define ORDO_FUNCTION2_LOOP(name, ...) ORDO_FUNCTION2(name, only_floating)
#include <ordo/kernels/elementwise/binary_functions.def>

}  // namespace ordo::kernels
