#include <ordo/engine/check.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/unary.h>

namespace ordo::kernels {

Tensor UnaryOp::operator()(const Tensor& t, DType compute, DType out, Scalar p, Scalar q) const {
  const Tensor in = cast(t, compute);
  const TensorImpl* x = in.impl();
  Tensor result = detail::result(x->sizes, out, x->device());
  if (x->numel == 0) return result;
  UnaryArgs args;
  args.p = p;
  args.q = q;
  args.dtype = compute;
  args.layout = x->contiguous ? flat_layout<2>(x->numel) : broadcast_layout<2>(x->sizes, {result.impl(), x});
  args.out = result.data();
  args.in = x->data();
  args.device = x->device();
  (args.device.is_cpu() ? on_cpu : on_cuda)(args);
  return result;
}

}  // namespace ordo::kernels
