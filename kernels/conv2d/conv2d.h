// 2-d convolution, without autograd. Checks are those of the public functions.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/conv2d/conv_shape.h>
#include <ordo/kernels/pooling/size2.h>

namespace ordo::kernels {

struct Conv2dOptions {
  Size2 stride = 1, padding = 0, dilation = 1;
  int64_t groups = 1;
};

/// x [N, C, H, W], weight [O, C / groups, kH, kW], bias [O] or undefined -> [N, O, oH, oW].
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias, const Conv2dOptions& options);
/// The gradient of conv2d with respect to an input of `sizes`.
Tensor conv2d_input_grad(const Tensor& grad, const Tensor& weight, const Dims& sizes, const Conv2dOptions& options);
/// The gradient of conv2d with respect to a weight of `sizes`.
Tensor conv2d_weight_grad(const Tensor& grad, const Tensor& x, const Dims& sizes, const Conv2dOptions& options);

// Operands are contiguous; the last is written. `ordered`: by rule 4 of docs/ordering.md.
namespace cpu {
void conv2d(const ConvShape&, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y, bool ordered);
void conv2d_input_grad(const ConvShape&, const Tensor& grad, const Tensor& weight, const Tensor& x_grad, bool ordered);
void conv2d_weight_grad(const ConvShape&, const Tensor& grad, const Tensor& x, const Tensor& weight_grad, bool ordered);
}  // namespace cpu
namespace cuda {
void conv2d(const ConvShape&, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y, bool ordered);
void conv2d_input_grad(const ConvShape&, const Tensor& grad, const Tensor& weight, const Tensor& x_grad, bool ordered);
void conv2d_weight_grad(const ConvShape&, const Tensor& grad, const Tensor& x, const Tensor& weight_grad, bool ordered);

// Own kernels: unfold to columns, multiply.
void unfold_conv2d(const ConvShape&, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
                   bool ordered);
void unfold_conv2d_input_grad(const ConvShape&, const Tensor& grad, const Tensor& weight, const Tensor& x_grad,
                              bool ordered);
void unfold_conv2d_weight_grad(const ConvShape&, const Tensor& grad, const Tensor& x, const Tensor& weight_grad,
                               bool ordered);
}  // namespace cuda

}  // namespace ordo::kernels
