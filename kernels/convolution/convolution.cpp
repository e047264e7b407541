#include <ordo/kernels/convolution/convolution.h>

#include <ordo/engine/determinism.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/convolution/conv_checks.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/elementwise/arithmetic.h>

namespace ordo::kernels {
namespace {

struct ConvRows {
  explicit ConvRows(ConvNames& names) {
    for (const char* name : names)
      ordo::detail::OpRegistration({.name = name,
                                    .family = "convolution",
                                    .dtypes = kFloatingTypes,
                                    .algorithms = {{Algorithm::library, Determinism::run_to_run},
                                                   {Algorithm::direct, Determinism::device_to_device}}});
  }
};
const ConvRows kRows(kConv), kInputGradRows(kConvInputGrad), kWeightGradRows(kConvWeightGrad),
    kTransposeRows(kConvTranspose);

// A gradient of `sizes` on `shape`; the arguments are checked.
Tensor input_grad(const ConvShape& shape, const Tensor& grad, const Tensor& weight, const Dims& sizes) {
  if (grad.numel() == 0) return full(sizes, 0, grad.dtype(), grad.device());
  const Tensor x_grad = ordo::detail::result(sizes, grad.dtype(), grad.device());
  if (x_grad.numel() == 0) return x_grad;
  const Tensor output_grad = contiguous(grad), filters = contiguous(weight);
  ORDO_ON_DEVICE(grad.device(), convolution_input_grad, shape, output_grad, filters, x_grad);
  return x_grad;
}

}  // namespace

Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments) {
  const char* const op = kConv[arguments.rank - 1];
  check_conv_operands(op, x, weight);
  const ConvShape s = conv_shape(op, x.sizes(), weight.sizes(), arguments);
  check_conv_bias(op, x, bias, weight.sizes(), weight.size(0));
  const Tensor y = ordo::detail::result(conv_output_sizes(op, s, arguments.rank), x.dtype(), x.device());
  if (y.numel() == 0) return y;
  const Tensor input = contiguous(x), filters = contiguous(weight);
  const Tensor offset = bias.defined() ? contiguous(bias) : bias;
  ORDO_ON_DEVICE(x.device(), convolution, s, input, filters, offset, y);
  return y;
}

Tensor convolution_input_grad(const Tensor& grad, const Tensor& weight, const Dims& sizes,
                              const ConvArguments& arguments) {
  const char* const op = kConvInputGrad[arguments.rank - 1];
  check_conv_operands(op, grad, weight);
  const ConvShape s = conv_shape(op, sizes, weight.sizes(), arguments);
  check_conv_grad(op, grad, s, arguments.rank);
  return input_grad(s, grad, weight, check_addressable(op, sizes));
}

Tensor convolution_weight_grad(const Tensor& grad, const Tensor& x, const Dims& sizes, const ConvArguments& arguments) {
  const char* const op = kConvWeightGrad[arguments.rank - 1];
  check_conv_operands(op, grad, x);
  const ConvShape s = conv_shape(op, x.sizes(), sizes, arguments);
  check_conv_grad(op, grad, s, arguments.rank);
  if (grad.numel() == 0) return full(sizes, 0, grad.dtype(), grad.device());
  const Tensor weight_grad = ordo::detail::result(check_addressable(op, sizes), grad.dtype(), grad.device());
  if (weight_grad.numel() == 0) return weight_grad;
  const Tensor output_grad = contiguous(grad), input = contiguous(x);
  ORDO_ON_DEVICE(grad.device(), convolution_weight_grad, s, output_grad, input, weight_grad);
  return weight_grad;
}

Tensor conv_transpose(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments,
                      const Size3& output_padding) {
  const char* const op = kConvTranspose[arguments.rank - 1];
  check_conv_operands(op, x, weight);
  const Dims sizes = transposed_sizes(op, x.sizes(), weight.sizes(), arguments, output_padding);
  check_conv_bias(op, x, bias, weight.sizes(), sizes[1]);
  ConvArguments back = arguments;
  back.outputs = in_three(x.sizes(), arguments.rank);
  const Tensor y = input_grad(conv_shape(op, sizes, weight.sizes(), back), x, weight, sizes);
  if (!bias.defined()) return y;
  Dims along = Dims::filled(sizes.size(), 1);
  along[1] = sizes[1];
  return add(y, views::view(contiguous(bias), along));
}

}  // namespace ordo::kernels
