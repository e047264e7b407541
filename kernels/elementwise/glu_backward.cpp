#include <ordo/kernels/elementwise/glu_backward.h>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

Tensor glu_backward(const Tensor& grad, const Tensor& x, int dim) {
  const ordo::detail::OperationName name("glu_backward");
  const int64_t half = x.size(dim) / 2;
  const Tensor out = ordo::detail::result(x.sizes(), x.dtype(), x.device());
  if (out.numel() == 0) return out;
  const Tensor a = views::narrow(x, dim, 0, half), b = views::narrow(x, dim, half, half);
  const auto args = [&](int64_t first, const Tensor& second) {
    const Tensor to = views::narrow(out, dim, first, half);
    TernaryArgs of;
    of.layout = broadcast_layout<4>(to.sizes(), {to.impl(), grad.impl(), second.impl(), b.impl()});
    of.out = to.data();
    of.a = grad.data();
    of.b = second.data();
    of.c = b.data();
    of.dtype = x.dtype();
    of.device = x.device();
    return of;
  };
  ORDO_ON_DEVICE(x.device(), glu_backward_of_a, args(0, b));
  ORDO_ON_DEVICE(x.device(), glu_backward_of_b, args(half, a));
  return out;
}

}  // namespace ordo::kernels
