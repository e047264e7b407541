#include <ordo/autograd/ops/softmax.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/softmax/softmax.h>

namespace ordo {

// Fused, unless the gradient is itself to be differentiated.
Tensor softmax(const Tensor& input, int64_t dim) {
  if (detail::raises(input)) return softmax(detail::raise(input), dim);
  const OpCall call("softmax", input, dim);
  return record(call, kernels::softmax(input, dim), {input},
                [dim](const Tensor& grad, const Tensor& result) -> TensorList {
                  if (!grad_enabled()) return {kernels::softmax_backward(grad, result, dim)};
                  return {result * (grad - sum(grad * result, {dim}, true))};
                });
}

Tensor log_softmax(const Tensor& input, int64_t dim) {
  if (detail::raises(input)) return log_softmax(detail::raise(input), dim);
  const OpCall call("log_softmax", input, dim);
  return record(call, kernels::log_softmax(input, dim), {input},
                [dim](const Tensor& grad, const Tensor& result) -> TensorList {
                  if (!grad_enabled()) return {kernels::log_softmax_backward(grad, result, dim)};
                  return {grad - exp(result) * sum(grad, {dim}, true)};
                });
}

}  // namespace ordo
