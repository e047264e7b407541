#include <ordo/kernels/elementwise/ternary.h>

#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/elementwise/device_loops.h>

namespace ordo::kernels {

ORDO_REGISTER_OP({.name = "lerp", .family = "elementwise", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "addcmul", .family = "elementwise", .dtypes = kNumericTypes});
ORDO_REGISTER_OP({.name = "addcdiv", .family = "elementwise", .dtypes = kFloatingTypes});

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
