#include <ordo/autograd/ops/math/activations.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/binary_functions.h>
#include <ordo/kernels/elementwise/glu_backward.h>
#include <ordo/kernels/softmax/softmax.h>

namespace ordo {

// Fused, unless the gradient is itself to be differentiated.
Tensor softmax(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, softmax, input, dim);
  return record(call, kernels::softmax(input, dim), {input}, [dim](const Tensor& grad, const Tensor& result) {
    if (!grad_enabled()) return kernels::softmax_backward(grad, result, dim);
    return result * (grad - sum(grad * result, {dim}, true));
  });
}

Tensor log_softmax(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, log_softmax, input, dim);
  return record(call, kernels::log_softmax(input, dim), {input}, [dim](const Tensor& grad, const Tensor& result) {
    if (!grad_enabled()) return kernels::log_softmax_backward(grad, result, dim);
    return grad - exp(result) * sum(grad, {dim}, true);
  });
}

Tensor prelu(const Tensor& x, const Tensor& weight) {
  ORDO_AUTOCAST_CALL(raise, prelu, x, weight);
  detail::expect_pair("prelu", x, "input", weight, "weight");
  detail::expect_floating("prelu", x);
  detail::expect_same_dtype("prelu", x, weight);
  const int64_t channels = x.dim() >= 2 ? x.sizes()[1] : 1;
  ORDO_CHECK(
      weight.dim() <= 1 && (weight.numel() == 1 || weight.numel() == channels), ShapeError, "prelu",
      "weight must have one element, or one for each of the {} channels of the input of shape {}; its shape is {}",
      channels, x.sizes(), weight.sizes());
  // Broadcast along dimension 1.
  Dims shape;
  for (int d = 0; d < x.dim(); ++d) shape.push_back(d == 1 ? weight.numel() : 1);
  Tensor r = kernels::prelu(x, views::view(kernels::contiguous(weight), shape));
  return record(call, std::move(r), {x, weight},
                [shape, x = Saved(x), w = Saved(weight)](const Tensor& grad) -> TensorList {
                  const Tensor positive = x.get() > 0;
                  return {needs(0) ? where(positive, grad, grad * w.get().reshape(shape)) : Tensor(),
                          needs(1) ? sum_to(where(positive, 0, grad * x.get()), shape).reshape(w.sizes()) : Tensor()};
                });
}

Tensor glu(const Tensor& x, int64_t dim) {
  const OpCall call("glu", x, dim);
  detail::expect_floating("glu", x, "input");
  ORDO_CHECK(x.dim() > 0, IndexError, "glu", "a 0-d tensor has no dimension to halve");
  const int d = wrap_dim("glu", dim, x.dim());
  const int64_t half = x.sizes()[d] / 2;
  ORDO_CHECK(x.sizes()[d] % 2 == 0, ShapeError, "glu", "dimension {} of size {} has no halves", d, x.sizes()[d]);
  Tensor r = kernels::glu(views::narrow(x, d, 0, half), views::narrow(x, d, half, half));
  return record(call, std::move(r), {x}, [d, half, x = Saved(x)](const Tensor& grad) {
    if (!grad_enabled()) return kernels::glu_backward(grad, x.get(), d);
    const Tensor gate = sigmoid(x.get().narrow(d, half, half)), of_a = grad * gate;
    return cat({of_a, of_a * (x.get().narrow(d, 0, half) * (1 - gate))}, d);
  });
}

}  // namespace ordo
