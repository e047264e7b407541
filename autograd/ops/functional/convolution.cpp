#include <ordo/autograd/ops/functional/convolution.h>

#include <algorithm>

#include <ordo/autograd/ops/functional/resampling.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/windows/sliding.h>
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

/// Arguments with the padding in numbers.
template <int N>
Arguments numbers(const char* op, const ConvFuncOptions<N>& o) {
  ORDO_CHECK(!o.padding.is_same(), ValueError, op, "takes the padding in numbers, not `same`");
  return conv_arguments(o.stride, o.padding.size(), o.dilation, o.groups);
}

/// The convolution with as much padding as its result needs to be as large as x.
template <int N>
Tensor same_convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvFuncOptions<N>& o) {
  const char* const op = kernels::kConv[N - 1];
  detail::expect_defined(op, x, "input", weight, "weight");
  for (const int64_t s : o.stride)
    ORDO_CHECK(s == 1, ValueError, op, "padding `same` needs a stride of 1, not {}; give the padding in numbers", s);
  kernels::check_each(op, "dilation", o.dilation, 1);
  ORDO_CHECK(weight.dim() == N + 2, ShapeError, op, "weight must have {} dimensions, not {}", N + 2, weight.sizes());
  Arguments a = conv_arguments<N>(1, 0, o.dilation, o.groups);
  int64_t half[] = {0, 0, 0};
  std::vector<int64_t> more;  // at the end of each dimension, the last one first
  for (int axis = N - 1; axis >= 0; --axis) {
    const int64_t all = checked::mul(op, o.dilation[axis], weight.size(axis + 2) - 1);
    half[3 - N + axis] = all / 2;
    more.insert(more.end(), {0, all % 2});
  }
  a.padding = Size3(half[0], half[1], half[2]);
  const bool odd = std::find(more.begin(), more.end(), 1) != more.end();
  return forward(odd ? pad(x, more) : x, weight, bias, a);
}

}  // namespace

// The functions of 1, 2 and 3 dimensions.
#define ORDO_CONVOLUTIONS(N)                                                                                        \
  Tensor conv##N##d(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvFuncOptions<N>& o) {       \
    if (o.padding.is_same()) return same_convolution(x, weight, bias, o);                                           \
    return forward(x, weight, bias, numbers("conv" #N "d", o));                                                     \
  }                                                                                                                 \
  Tensor conv##N##d_input_grad(const Dims& input_sizes, const Tensor& weight, const Tensor& grad,                   \
                               const ConvFuncOptions<N>& o) {                                                       \
    return input_grad(input_sizes, weight, grad, numbers("conv" #N "d_input_grad", o));                             \
  }                                                                                                                 \
  Tensor conv##N##d_weight_grad(const Tensor& x, const Dims& weight_sizes, const Tensor& grad,                      \
                                const ConvFuncOptions<N>& o) {                                                      \
    return weight_grad(x, weight_sizes, grad, numbers("conv" #N "d_weight_grad", o));                               \
  }                                                                                                                 \
  Tensor conv_transpose##N##d(const Tensor& x, const Tensor& weight, const Tensor& bias,                            \
                              const ConvTransposeFuncOptions<N>& o) {                                               \
    return transpose(x, weight, bias, conv_arguments(o.stride, o.padding, o.dilation, o.groups), o.output_padding); \
  }
ORDO_CONVOLUTIONS(1)
ORDO_CONVOLUTIONS(2)
ORDO_CONVOLUTIONS(3)
#undef ORDO_CONVOLUTIONS

Tensor unfold(const Tensor& input, Size2 kernel_size, const UnfoldOptions& o) {
  const kernels::UnfoldArguments a{kernel_size, o.dilation, o.padding, o.stride};
  const OpCall call("unfold", input, a);
  Tensor result = kernels::unfold(input, a);
  return record(call, std::move(result), {input},
                [a, size = Size2(input.size(-2), input.size(-1))](const Tensor& grad) {
                  return fold(grad, size, a.kernel, {a.dilation, a.padding, a.stride});
                });
}

Tensor fold(const Tensor& input, Size2 output_size, Size2 kernel_size, const UnfoldOptions& o) {
  const kernels::UnfoldArguments a{kernel_size, o.dilation, o.padding, o.stride};
  const OpCall call("fold", input, output_size, a);
  return record(call, kernels::fold(input, output_size, a), {input}, [a](const Tensor& grad) {
    return unfold(grad, a.kernel, {a.dilation, a.padding, a.stride});
  });
}

}  // namespace ordo
