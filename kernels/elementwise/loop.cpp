#include <ordo/kernels/elementwise/loop.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/fits.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

int kind_of(DType t) { return is_floating(t) ? 2 : t == boolean ? 0 : 1; }

// How strongly an operand takes part: 2 with dimensions, 1 as a 0-d tensor, 0 as a number.
int rank_of(const Operand& o) { return !o.is_tensor() ? 0 : o.impl()->sizes.empty() ? 1 : 2; }

DType dtype_of_operand(const Operand& o) {
  if (o.is_tensor()) return o.impl()->dtype;
  return o.scalar().is_floating() ? float32 : o.scalar().is_boolean() ? boolean : int64;
}

}  // namespace

DType promote_operands(const Operand& a, const Operand& b) {
  const DType x = dtype_of_operand(a), y = dtype_of_operand(b);
  if (x == y) return x;
  const int rx = rank_of(a), ry = rank_of(b);
  if (rx == ry) return promote(x, y);
  const DType strong = rx > ry ? x : y, weak = rx > ry ? y : x;
  return kind_of(weak) > kind_of(strong) ? promote(strong, weak) : strong;
}

void expect_in_place_dtype(const char* op, DType target, DType computed) {
  ORDO_CHECK(
      kind_of(computed) <= kind_of(target), DTypeError, op,
      "the result has dtype {}, which does not fit the {} tensor that is changed in place; use the function that "
      "returns a new tensor",
      computed, target);
}

void expect_operands(const char* op, const Operand& a, const Operand& b) {
  if (a.is_tensor()) detail::expect_defined(op, a.tensor(), "first operand");
  if (b.is_tensor()) detail::expect_defined(op, b.tensor(), "second operand");
  if (a.is_tensor() && b.is_tensor()) detail::expect_same_device(op, a.tensor(), b.tensor());
  ORDO_CHECK(a.is_tensor() || b.is_tensor(), ValueError, op, "at least one operand must be a tensor");
}

template <int N>
Tensor LoopOp<N>::operator()(const Operand (&in)[N], DType compute, DType out, const Numbers& numbers) const {
  const ordo::detail::OperationName operation(name);
  LoopArgs<N> args;
  args.numbers = numbers;
  args.dtype = compute;
  // An integer operation on a number that its dtype does not hold would silently compute something else. Floating ones
  // compute with it rounded, which may be infinite.
  for (int k = 0; k < N; ++k) {
    if (in[k].is_tensor()) continue;
    if (is_integral(compute)) detail::expect_fits(name, in[k].scalar(), compute);
    args.in[k].number = in[k].scalar();
  }
  Tensor converted[N];
  const TensorImpl *operands[N], *first = nullptr;
  for (int k = 0; k < N; ++k) {
    operands[k] = in[k].impl();
    if (!operands[k]) continue;
    if (operands[k]->dtype != compute)
      converted[k] = cast(in[k].tensor(), compute);
    else if (N == 1 && !operands[k]->contiguous)
      converted[k] = contiguous(in[k].tensor());
    if (converted[k].defined()) operands[k] = converted[k].impl();
    if (!first) first = operands[k];
  }
  const Dims* sizes = &first->sizes;
  Dims broadcast;
  for (const TensorImpl* t : operands) {
    if (!t || t->sizes == *sizes) continue;
    broadcast = broadcast_sizes(name, *sizes, t->sizes);
    sizes = &broadcast;
  }
  Tensor result = detail::result(*sizes, out, first->device());
  run(args, result.impl(), operands);
  return result;
}

template <int N>
void LoopOp<N>::run(LoopArgs<N>& args, const TensorImpl* out, const TensorImpl* const (&in)[N]) const {
  const int64_t n = out->numel;
  if (n == 0) return;
  const TensorImpl* all[N + 1] = {out};
  bool flat = out->contiguous;
  unsigned repeated = 0;
  for (int k = 0; k < N; ++k) {
    const TensorImpl* t = all[k + 1] = in[k];
    flat = flat && (!t || (t->contiguous && (t->numel == n || t->numel == 1)));
    if (!t || t->numel != n) repeated |= 2u << k;
    args.in[k].data = t ? t->data() : nullptr;
  }
  args.layout = flat ? flat_layout<N + 1>(n, repeated) : broadcast_layout<N + 1>(out->sizes, all);
  args.out = out->data();
  args.device = out->device();
  (args.device.is_cpu() ? on_cpu_ : on_cuda_)(args);
}

template class LoopOp<1>;
template class LoopOp<2>;
template class LoopOp<3>;

}  // namespace ordo::kernels
