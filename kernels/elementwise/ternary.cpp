#include <ordo/kernels/elementwise/ternary.h>

#include <utility>

#include <ordo/engine/check.h>
#include <ordo/engine/fits.h>
#include <ordo/engine/op_registry.h>
#include <ordo/kernels/copy/copy.h>

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

struct TernaryOp {
  const char *name, *second, *third;  // of arguments
  bool floating;
  void (*on_cpu)(const TernaryArgs&);
  void (*on_cuda)(const TernaryArgs&);

  Tensor operator()(const Tensor& a, const Tensor& b, const Operand& c, Scalar value) const;
};

#if ORDO_HAS_CUDA
#define ORDO_LOOPS_OF(function) cpu::function, cuda::function
#else
#define ORDO_LOOPS_OF(function) cpu::function, nullptr
#endif
constexpr TernaryOp kLerp{"lerp", "end", "weight", true, ORDO_LOOPS_OF(lerp)},
    kAddcmul{"addcmul", "tensor1", "tensor2", false, ORDO_LOOPS_OF(addcmul)},
    kAddcdiv{"addcdiv", "tensor1", "tensor2", true, ORDO_LOOPS_OF(addcdiv)};

Tensor TernaryOp::operator()(const Tensor& a, const Tensor& b, const Operand& c, Scalar value) const {
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
  Dims sizes = a.sizes() == b.sizes() ? a.sizes() : broadcast_sizes(name, a.sizes(), b.sizes());
  if (c.is_tensor() && c.tensor().sizes() != sizes) sizes = broadcast_sizes(name, sizes, c.tensor().sizes());
  const Tensor x = cast(a, dtype), y = cast(b, dtype), z = c.is_tensor() ? cast(c.tensor(), dtype) : Tensor();
  Tensor result = detail::result(sizes, dtype, a.device());
  if (result.numel() == 0) return result;
  TernaryArgs args;
  args.layout = broadcast_layout<4>(sizes, {result.impl(), x.impl(), y.impl(), z.impl()});
  args.out = result.data();
  args.a = x.data();
  args.b = y.data();
  args.c = z.defined() ? z.data() : nullptr;
  args.c_value = c.scalar();
  args.value = value;
  args.dtype = dtype;
  args.device = a.device();
  (args.device.is_cpu() ? on_cpu : on_cuda)(args);
  return result;
}

}  // namespace

Tensor lerp(const Tensor& a, const Tensor& b, const Operand& weight) { return kLerp(a, b, weight, 0); }
Tensor addcmul(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value) { return kAddcmul(a, b, c, value); }
Tensor addcdiv(const Tensor& a, const Tensor& b, const Tensor& c, Scalar value) { return kAddcdiv(a, b, c, value); }

}  // namespace ordo::kernels
