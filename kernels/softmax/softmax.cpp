#include <ordo/kernels/softmax/softmax.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"softmax", "log_softmax"}, {.family = "softmax", .dtypes = kFloatingTypes});

Tensor forward(const char* op, bool log, const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_floating(op, t, "input");
  const AxisShape s = axis_shape(t.sizes(), wrap_dim(op, dim, t.dim()));
  Tensor out = ordo::detail::result_like(t);
  if (t.numel() > 0) ORDO_ON_DEVICE(t.device(), softmax, log, s, contiguous(t), out);
  return out;
}

Tensor backward(const char* op, bool log, const Tensor& grad, const Tensor& result, int64_t dim) {
  const AxisShape s = axis_shape(result.sizes(), wrap_dim(op, dim, result.dim()));
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
