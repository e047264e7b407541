#include <ordo/kernels/softmax/softmax.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"softmax", "log_softmax"}, {.family = "softmax", .dtypes = kFloatingTypes});

/// `grad` is undefined where `t` is the input, else t is the result.
Tensor along(const char* op, bool log, const Tensor& grad, const Tensor& t, int64_t dim) {
  const AxisShape s = axis_shape(t.sizes(), wrap_dim(op, dim, t.dim()));
  Tensor out = ordo::detail::result_like(t);
  if (t.numel() > 0) ORDO_ON_DEVICE(t.device(), softmax, log, s, contiguous_or_none(grad), contiguous(t), out);
  return out;
}

Tensor forward(const char* op, bool log, const Tensor& t, int64_t dim) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_floating(op, t, "input");
  return along(op, log, {}, t, dim);
}

}  // namespace

Tensor softmax(const Tensor& t, int64_t dim) { return forward("softmax", false, t, dim); }
Tensor log_softmax(const Tensor& t, int64_t dim) { return forward("log_softmax", true, t, dim); }
Tensor softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  return along("softmax", false, grad, result, dim);
}
Tensor log_softmax_backward(const Tensor& grad, const Tensor& result, int64_t dim) {
  return along("log_softmax", true, grad, result, dim);
}

}  // namespace ordo::kernels
