#include <ordo/autograd/ops/conv2d.h>

#include <ordo/autograd/tape.h>
#include <ordo/kernels/conv2d/conv2d.h>

namespace ordo {

// The convolution and its two gradients are linear in each of their two tensors, and the derivative of any of the three
// is made of the other two.

Tensor conv2d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size2 stride, Size2 padding,
                         Size2 dilation, int64_t groups) {
  detail::expect_defined("conv2d_input_grad", weight, "weight");
  detail::expect_defined("conv2d_input_grad", grad, "gradient");
  return record("conv2d_input_grad",
                kernels::conv2d_input_grad(grad, weight, input_sizes, {stride, padding, dilation, groups}),
                {weight, grad},
                [weight = Saved(weight), grad = Saved(grad), for_weight = weight.requires_grad(),
                 for_grad = grad.requires_grad(), stride, padding, dilation, groups](const Tensor& g) -> TensorList {
                  TensorList grads(2);
                  if (for_weight)
                    grads[0] = conv2d_weight_grad(g, weight.sizes(), grad.get(), stride, padding, dilation, groups);
                  if (for_grad) grads[1] = conv2d(g, weight.get(), {}, stride, padding, dilation, groups);
                  return grads;
                });
}

Tensor conv2d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size2 stride, Size2 padding,
                          Size2 dilation, int64_t groups) {
  detail::expect_defined("conv2d_weight_grad", x, "input");
  detail::expect_defined("conv2d_weight_grad", grad, "gradient");
  return record("conv2d_weight_grad",
                kernels::conv2d_weight_grad(grad, x, weight_sizes, {stride, padding, dilation, groups}), {x, grad},
                [x = Saved(x), grad = Saved(grad), for_x = x.requires_grad(), for_grad = grad.requires_grad(), stride,
                 padding, dilation, groups](const Tensor& g) -> TensorList {
                  TensorList grads(2);
                  if (for_x) grads[0] = conv2d_input_grad(x.sizes(), g, grad.get(), stride, padding, dilation, groups);
                  if (for_grad) grads[1] = conv2d(x.get(), g, {}, stride, padding, dilation, groups);
                  return grads;
                });
}

Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, Size2 stride, Size2 padding, Size2 dilation,
              int64_t groups) {
  detail::expect_defined("conv2d", x, "input");
  detail::expect_defined("conv2d", weight, "weight");
  if (x.dim() == 3) return conv2d(x.unsqueeze(0), weight, bias, stride, padding, dilation, groups).squeeze(0);
  return record("conv2d", kernels::conv2d(x, weight, bias, {stride, padding, dilation, groups}), {x, weight, bias},
                [x = Saved(x), weight = Saved(weight), for_x = x.requires_grad(), for_weight = weight.requires_grad(),
                 for_bias = bias.defined() && bias.requires_grad(), stride, padding, dilation,
                 groups](const Tensor& grad) -> TensorList {
                  TensorList grads(3);
                  if (for_x)
                    grads[0] = conv2d_input_grad(x.sizes(), weight.get(), grad, stride, padding, dilation, groups);
                  if (for_weight)
                    grads[1] = conv2d_weight_grad(x.get(), weight.sizes(), grad, stride, padding, dilation, groups);
                  if (for_bias) grads[2] = grad.sum({0, 2, 3});
                  return grads;
                });
}

}  // namespace ordo
