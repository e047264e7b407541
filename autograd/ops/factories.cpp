#include <ordo/autograd/ops/operation.h>

namespace ordo {

using detail::OperationName;

Tensor full(const Dims& sizes, Scalar value, TensorOptions options) {
  const OpCall call("full", sizes, value, options);
  Tensor t = kernels::full(sizes, value, options.dtype, options.device);
  if (options.requires_grad) t.set_requires_grad();
  return call.done(std::move(t));
}

Tensor zeros(const Dims& sizes, TensorOptions options) {
  const OperationName name("zeros");
  return full(sizes, 0, options);
}
Tensor ones(const Dims& sizes, TensorOptions options) {
  const OperationName name("ones");
  return full(sizes, 1, options);
}
Tensor scalar_tensor(Scalar value, TensorOptions options) {
  const OperationName name("scalar_tensor");
  return full({}, value, options);
}

Tensor full_like(const Tensor& like, Scalar value) {
  const OperationName name("full_like");
  detail::expect_defined("full_like", like, "like");
  return full(like.sizes(), value, like.options());
}
Tensor zeros_like(const Tensor& like) {
  const OperationName name("zeros_like");
  return full_like(like, 0);
}
Tensor ones_like(const Tensor& like) {
  const OperationName name("ones_like");
  return full_like(like, 1);
}

}  // namespace ordo
