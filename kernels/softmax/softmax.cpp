#include <ordo/kernels/softmax/softmax.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "softmax", .family = "softmax", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "log_softmax", .family = "softmax", .dtypes = kFloatingTypes});

SoftmaxShape softmax_shape(const char* op, const Tensor& t, int64_t dim) {
  const int at = wrap_dim(op, dim, t.dim());
  SoftmaxShape s;
  for (int d = 0; d < t.dim(); ++d) (d < at ? s.outer : d == at ? s.length : s.inner) *= t.sizes()[d];
  return s;
}

Tensor forward(const char* op, bool log, const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_floating(op, t, "input");
  const SoftmaxShape s = softmax_shape(op, t, dim);
  Tensor out = ordo::detail::result_like(t);
  if (t.numel() > 0) ORDO_ON_DEVICE(t.device(), softmax, log, s, contiguous(t), out);
  return out;
}

Tensor backward(const char* op, bool log, const Tensor& grad, const Tensor& result, int64_t dim) {
  const SoftmaxShape s = softmax_shape(op, result, dim);
  Tensor out = ordo::detail::result_like(result);
  if (out.numel() > 0)
    ORDO_ON_DEVICE(out.device(), softmax_backward, log, s, contiguous(grad), contiguous(result), out);
  return out;
}

}  // namespace

Tensor softmax(const Tensor& t, int64_t dim) { return forward("softmax", false, t, dim); }
Tensor log_softmax(const Tensor& t, int64_t dim) { return forward("log_softmax", true, t, dim); }
Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  return backward("softmax", false, grad, result, dim);
}
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  return backward("log_softmax", true, grad, result, dim);
}

}  // namespace ordo::kernels
