#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/unary.h>

namespace ordo::kernels {

Tensor UnaryOp::operator()(const Tensor& t, DType compute, DType out, Scalar p, Scalar q, Scalar r) const {
  Tensor held;
  const TensorImpl* x = t.impl();
  if (x->dtype != compute || !x->contiguous) {
    held = x->dtype != compute ? cast(t, compute) : contiguous(t);
    x = held.impl();
  }
  Tensor result = detail::result(x->sizes, out, x->device());
  if (x->numel == 0) return result;
  UnaryArgs args;
  args.numel = x->numel;
  args.out = result.data();
  args.in = x->data();
  args.p = p;
  args.q = q;
  args.r = r;
  args.dtype = compute;
  args.device = x->device();
  (args.device.is_cpu() ? on_cpu : on_cuda)(args);
  return result;
}

}  // namespace ordo::kernels
