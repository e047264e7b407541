// Argument checks of the convolutions. Internal.
#pragma once

#include <ordo/engine/tensor.h>
#include <ordo/kernels/convolution/convolution.h>

namespace ordo::kernels {

/// Both defined and floating, of one dtype, on one device.
void check_conv_operands(const char* op, const Tensor& a, const Tensor& b);
/// ValueError for stride, padding, dilation or groups that no convolution has.
void check_conv_arguments(const char* op, const ConvArguments& arguments);
/// The shape of a convolution of x with weight, both given by their sizes.
ConvShape conv_shape(const char* op, const Dims& x, const Dims& weight, const ConvArguments& arguments);
/// The sizes of its result: ShapeError where so many elements cannot be addressed.
Dims conv_output_sizes(const char* op, const ConvShape& shape, int rank);
/// The sizes of a transposed convolution's result.
Dims transposed_sizes(const char* op, const Dims& x, const Dims& weight, const ConvArguments& arguments,
                      const Size3& output_padding);
/// `bias` is undefined or [filters], like x; `weight` is for the message.
void check_conv_bias(const char* op, const Tensor& x, const Tensor& bias, const Dims& weight, int64_t filters);
void check_conv_grad(const char* op, const Tensor& grad, const ConvShape& shape, int rank);

}  // namespace ordo::kernels
