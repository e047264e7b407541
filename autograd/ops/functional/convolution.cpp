#include <ordo/autograd/ops/functional/convolution.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/windows/unfold.h>

namespace ordo {
namespace {

using kernels::conv_arguments;
using Arguments = kernels::ConvArguments;

// The convolution and its two gradients are linear in each of their two tensors, and the derivative of any of the three
// is made of the other two.

Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Arguments& a);
Tensor input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, const Arguments& a);

Tensor weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, const Arguments& a) {
  const OpCall call(kernels::kConvWeightGrad[a.rank - 1], x, grad, weight_sizes, a);
  detail::expect_defined(call.name(), x, "input", grad, "gradient");
  return record(call, kernels::convolution_weight_grad(grad, x, weight_sizes, a), {x, grad},
                [x = Saved(x), grad = Saved(grad), a](const Tensor& g) -> TensorList {
                  return {needs(0) ? input_grad(x.sizes(), g, grad.get(), a) : Tensor(),
                          needs(1) ? forward(x.get(), g, {}, a) : Tensor()};
                });
}

Tensor input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, const Arguments& a) {
  const OpCall call(kernels::kConvInputGrad[a.rank - 1], weight, grad, input_sizes, a);
  detail::expect_defined(call.name(), weight, "weight", grad, "gradient");
  return record(call, kernels::convolution_input_grad(grad, weight, input_sizes, a), {weight, grad},
                [weight = Saved(weight), grad = Saved(grad), a](const Tensor& g) -> TensorList {
                  return {needs(0) ? weight_grad(g, weight.sizes(), grad.get(), a) : Tensor(),
                          needs(1) ? forward(g, weight.get(), {}, a) : Tensor()};
                });
}

/// A bias' gradient: the sum over samples and positions.
Tensor bias_grad(const Tensor& grad) {
  Dims dims{0};
  for (int d = 2; d < grad.dim(); ++d) dims.push_back(d);
  return grad.sum(dims);
}

Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Arguments& a) {
  ORDO_AUTOCAST(lower, forward, x, weight, bias, a);
  const OpCall call(kernels::kConv[a.rank - 1], x, weight, bias, a);
  detail::expect_defined(call.name(), x, "input", weight, "weight");
  if (x.dim() == a.rank + 1) return call.done(forward(x.unsqueeze(0), weight, bias, a).squeeze(0));
  return record(call, kernels::convolution(x, weight, bias, a), {x, weight, bias},
                [x = Saved(x), weight = Saved(weight), a](const Tensor& grad) -> TensorList {
                  return {needs(0) ? input_grad(x.sizes(), weight.get(), grad, a) : Tensor(),
                          needs(1) ? weight_grad(x.get(), weight.sizes(), grad, a) : Tensor(),
                          needs(2) ? bias_grad(grad) : Tensor()};
                });
}

template <int N>
Tensor transpose(const Tensor& x, const Tensor& weight, const Tensor& bias, const Arguments& a,
                 const Size<N>& output_padding) {
  ORDO_AUTOCAST(lower, transpose, x, weight, bias, a, output_padding);
  const OpCall call(kernels::kConvTranspose[N - 1], x, weight, bias, a, output_padding);
  detail::expect_defined(call.name(), x, "input", weight, "weight");
  if (x.dim() == N + 1) return call.done(transpose(x.unsqueeze(0), weight, bias, a, output_padding).squeeze(0));
  Tensor y = kernels::conv_transpose(x, weight, bias, a, kernels::in_three(output_padding, 0));
  Arguments back = a;
  back.outputs = kernels::in_three(x.sizes(), N);
  return record(call, std::move(y), {x, weight, bias},
                [x = Saved(x), weight = Saved(weight), back](const Tensor& grad) -> TensorList {
                  return {needs(0) ? forward(grad, weight.get(), {}, back) : Tensor(),
                          needs(1) ? weight_grad(grad, weight.sizes(), x.get(), back) : Tensor(),
                          needs(2) ? bias_grad(grad) : Tensor()};
                });
}

}  // namespace

// The functions of 1, 2 and 3 dimensions.
#define ORDO_CONVOLUTIONS(N)                                                                                      \
  Tensor conv##N##d(const Tensor& x, const Tensor& weight, const Tensor& bias, Size##N stride, Size##N padding,   \
                    Size##N dilation, int64_t groups) {                                                           \
    return forward(x, weight, bias, conv_arguments(stride, padding, dilation, groups));                           \
  }                                                                                                               \
  Tensor conv##N##d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad, Size##N stride, \
                               Size##N padding, Size##N dilation, int64_t groups) {                               \
    return input_grad(input_sizes, weight, grad, conv_arguments(stride, padding, dilation, groups));              \
  }                                                                                                               \
  Tensor conv##N##d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad, Size##N stride,    \
                                Size##N padding, Size##N dilation, int64_t groups) {                              \
    return weight_grad(x, weight_sizes, grad, conv_arguments(stride, padding, dilation, groups));                 \
  }                                                                                                               \
  Tensor conv_transpose##N##d(const Tensor& x, const Tensor& weight, const Tensor& bias, Size##N stride,          \
                              Size##N padding, Size##N output_padding, int64_t groups, Size##N dilation) {        \
    return transpose(x, weight, bias, conv_arguments(stride, padding, dilation, groups), output_padding);         \
  }
ORDO_CONVOLUTIONS(1)
ORDO_CONVOLUTIONS(2)
ORDO_CONVOLUTIONS(3)
#undef ORDO_CONVOLUTIONS

Tensor unfold(const Tensor& input, Size2 kernel_size, Size2 dilation, Size2 padding, Size2 stride) {
  const kernels::UnfoldArguments a{kernel_size, dilation, padding, stride};
  const OpCall call("unfold", input, a);
  Tensor result = kernels::unfold(input, a);
  return record(call, std::move(result), {input},
                [a, size = Size2(input.size(-2), input.size(-1))](const Tensor& grad) {
                  return fold(grad, size, a.kernel, a.dilation, a.padding, a.stride);
                });
}

Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, Size2 dilation, Size2 padding, Size2 stride) {
  const kernels::UnfoldArguments a{kernel_size, dilation, padding, stride};
  const OpCall call("fold", input, output_size, a);
  return record(call, kernels::fold(input, output_size, a), {input},
                [a](const Tensor& grad) { return unfold(grad, a.kernel, a.dilation, a.padding, a.stride); });
}

}  // namespace ordo
