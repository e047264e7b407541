#include <ordo/autograd/ops/math/activations.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/binary_functions.h>
#include <ordo/kernels/elementwise/glu_backward.h>
#include <ordo/kernels/softmax/softmax.h>

namespace ordo {

// Fused, unless the gradient is itself to be differentiated.
Tensor softmax(const Tensor& input, int64_t dim, DType dtype) { return softmax(input.to(dtype), dim); }
Tensor softmax(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, softmax, input, dim);
  return record(call, kernels::softmax(input, dim), {input}, [dim](const Tensor& grad, const Tensor& result) {
    if (!grad_enabled()) return kernels::softmax_backward(grad, result, dim);
    return result * (grad - sum(grad * result, {dim}, true));
  });
}

Tensor log_softmax(const Tensor& input, int64_t dim, DType dtype) { return log_softmax(input.to(dtype), dim); }
Tensor log_softmax(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, log_softmax, input, dim);
  return record(call, kernels::log_softmax(input, dim), {input}, [dim](const Tensor& grad, const Tensor& result) {
    if (!grad_enabled()) return kernels::log_softmax_backward(grad, result, dim);
    return grad - exp(result) * sum(grad, {dim}, true);
  });
}

Tensor prelu(const Tensor& input, const Tensor& weight) {
  ORDO_AUTOCAST_CALL(raise, prelu, input, weight);
  detail::expect_pair("prelu", input, "input", weight, "weight");
  detail::expect_floating("prelu", input);
  detail::expect_same_dtype("prelu", input, weight);
  const int64_t channels = input.dim() >= 2 ? input.sizes()[1] : 1;
  ORDO_CHECK(
      weight.dim() <= 1 && (weight.numel() == 1 || weight.numel() == channels), ShapeError, "prelu",
      "weight must have one element, or one for each of the {} channels of the input of shape {}; its shape is {}",
      channels, input.sizes(), weight.sizes());
  // Broadcast along dimension 1.
  Dims shape;
  for (int d = 0; d < input.dim(); ++d) shape.push_back(d == 1 ? weight.numel() : 1);
  Tensor r = kernels::prelu(input, views::view(kernels::contiguous(weight), shape));
  return record(call, std::move(r), {input, weight},
                [shape, input = Saved(input), w = Saved(weight)](const Tensor& grad) -> TensorList {
                  const Tensor positive = input.get() > 0;
                  return {
                      needs(0) ? where(positive, grad, grad * w.get().reshape(shape)) : Tensor(),
                      needs(1) ? sum_to(where(positive, 0, grad * input.get()), shape).reshape(w.sizes()) : Tensor()};
                });
}

Tensor glu(const Tensor& input, int64_t dim) {
  const OpCall call("glu", input, dim);
  detail::expect_floating("glu", input, "input");
  ORDO_CHECK(input.dim() > 0, IndexError, "glu", "a 0-d tensor has no dimension to halve");
  const int d = wrap_dim("glu", dim, input.dim());
  const int64_t half = input.sizes()[d] / 2;
  ORDO_CHECK(input.sizes()[d] % 2 == 0, ShapeError, "glu", "dimension {} of size {} has no halves", d,
             input.sizes()[d]);
  Tensor r = kernels::glu(views::narrow(input, d, 0, half), views::narrow(input, d, half, half));
  return record(call, std::move(r), {input}, [d, half, input = Saved(input)](const Tensor& grad) {
    if (!grad_enabled()) return kernels::glu_backward(grad, input.get(), d);
    const Tensor gate = sigmoid(input.get().narrow(d, half, half)), of_a = grad * gate;
    return cat({of_a, of_a * (input.get().narrow(d, 0, half) * (1 - gate))}, d);
  });
}

}  // namespace ordo
