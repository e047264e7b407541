#include <ordo/engine/check.h>
#include <ordo/engine/fits.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/convert.h>

namespace ordo::kernels {
namespace {

// An integer operation on a number that its dtype does not hold would silently compute something else. Floating ones
// compute with it rounded, which may be infinite.
void expect_fits(const char* op, const Operand& o, DType dtype) {
  if (!o.is_tensor() && is_integral(dtype)) detail::expect_fits(op, o.scalar(), dtype);
}

// The operand with the dtype to compute in; `held` keeps a conversion alive.
const TensorImpl* prepared(const Operand& o, DType dtype, Tensor& held) {
  if (!o.is_tensor()) return nullptr;
  if (o.impl()->dtype == dtype) return o.impl();
  held = cast(o.tensor(), dtype);
  return held.impl();
}

void run(const BinaryOp& op, BinaryArgs& args, const TensorImpl* out, const TensorImpl* a, const TensorImpl* b) {
  const int64_t n = out->numel;
  if (n == 0) return;
  const auto flat = [n](const TensorImpl* t) { return !t || (t->contiguous && (t->numel == n || t->numel == 1)); };
  if (out->contiguous && flat(a) && flat(b)) {
    const unsigned repeated = (!a || a->numel != n ? 2u : 0u) | (!b || b->numel != n ? 4u : 0u);
    args.layout = flat_layout<3>(n, repeated);
  } else {
    args.layout = broadcast_layout<3>(out->sizes, {out, a, b});
  }
  args.out = out->data();
  args.a = a ? a->data() : nullptr;
  args.b = b ? b->data() : nullptr;
  args.device = out->device();
  (args.device.is_cpu() ? op.on_cpu : op.on_cuda)(args);
}

}  // namespace

void expect_operands(const char* op, const Operand& a, const Operand& b) {
  if (a.is_tensor()) detail::expect_defined(op, a.tensor(), "first operand");
  if (b.is_tensor()) detail::expect_defined(op, b.tensor(), "second operand");
  if (a.is_tensor() && b.is_tensor()) detail::expect_same_device(op, a.tensor(), b.tensor());
  ORDO_CHECK(a.is_tensor() || b.is_tensor(), ValueError, op, "at least one operand must be a tensor");
}

Tensor BinaryOp::operator()(const Operand& a, const Operand& b, DType compute, DType out, Scalar alpha,
                            Scalar beta) const {
  const ordo::detail::OperationName operation(name);
  expect_fits(name, a, compute);
  expect_fits(name, b, compute);
  Tensor held_a, held_b;
  const TensorImpl *x = prepared(a, compute, held_a), *y = prepared(b, compute, held_b);
  const TensorImpl* shaped = x ? x : y;
  Tensor result = !x || !y || x->sizes == y->sizes
                      ? detail::result(shaped->sizes, out, shaped->device())
                      : detail::result(broadcast_sizes(name, x->sizes, y->sizes), out, shaped->device());
  BinaryArgs args;
  args.a_value = a.scalar();
  args.b_value = b.scalar();
  args.alpha = alpha;
  args.beta = beta;
  args.dtype = compute;
  run(*this, args, result.impl(), x, y);
  return result;
}

const Tensor& BinaryOp::in_place(const char* op, const Tensor& a, const Operand& b, DType compute, Scalar alpha) const {
  const ordo::detail::OperationName operation(op);
  expect_writable(op, a);
  expect_in_place_dtype(op, a.dtype(), compute);
  if (b.is_tensor() && b.impl()->sizes != a.sizes())
    ORDO_CHECK(broadcast_sizes(op, a.sizes(), b.impl()->sizes) == a.sizes(), ShapeError, op,
               "in place, sizes {} would grow to hold the broadcast with {}", a.sizes(), b.impl()->sizes);
  if (compute != a.dtype()) return copy_(a, (*this)(a, b, compute, compute, alpha));
  expect_fits(op, b, compute);
  Tensor held;
  const TensorImpl* y = prepared(b, compute, held);
  if (y && !held.defined() && partly_overlap(a, b.tensor())) {
    held = clone(b.tensor());
    y = held.impl();
  }
  BinaryArgs args;
  args.b_value = b.scalar();
  args.alpha = alpha;
  args.dtype = compute;
  run(*this, args, a.impl(), a.impl(), y);
  return a;
}

}  // namespace ordo::kernels
