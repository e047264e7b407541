// Convolution in 1, 2 and 3 dimensions, without autograd. Checks are those of the public functions.
#pragma once

#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/tensor/devices.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo::kernels {

/// The arguments of a convolution over `rank` spatial dimensions.
struct ConvArguments {
  int rank;
  Size3 stride, padding, dilation;
  int64_t groups = 1;
  /// How many outputs there are, not more than fit; 0 for all that fit. What a transposed convolution's output_padding
  /// adds at the end of its result may be read by no window that is an input of it.
  Size3 outputs = 0;
};
inline void report(ordo::detail::OpArguments& call, const ConvArguments& a) {
  for (const Size3& size : {a.stride, a.padding, a.dilation}) call.add(size);
  call.add(a.groups);
}

template <int N>
ConvArguments conv_arguments(Size<N> stride = 1, Size<N> padding = 0, Size<N> dilation = 1, int64_t groups = 1) {
  return {N, in_three(stride, 1), in_three(padding, 0), in_three(dilation, 1), groups};
}

/// x [N, C, spatial...], weight [O, C / groups, kernel...], bias [O] or undefined -> [N, O, spatial...].
Tensor convolution(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments);
/// The gradient of convolution with respect to an input of `sizes`.
Tensor convolution_input_grad(const Tensor& grad, const Tensor& weight, const Dims& sizes,
                              const ConvArguments& arguments);
/// The gradient of convolution with respect to a weight of `sizes`.
Tensor convolution_weight_grad(const Tensor& grad, const Tensor& x, const Dims& sizes, const ConvArguments& arguments);

/// x [N, C, spatial...], weight [C, O / groups, kernel...], bias [O] or undefined -> [N, O, spatial...]: the gradient
/// of a convolution that takes the result to x, with respect to its input, and the bias.
Tensor conv_transpose(const Tensor& x, const Tensor& weight, const Tensor& bias, const ConvArguments& arguments,
                      const Size3& output_padding);

/// An operation's name for each rank: {"conv1d", ...}[rank - 1].
using ConvNames = const char* const[3];
inline constexpr ConvNames kConv{"conv1d", "conv2d", "conv3d"},
    kConvInputGrad{"conv1d_input_grad", "conv2d_input_grad", "conv3d_input_grad"},
    kConvWeightGrad{"conv1d_weight_grad", "conv2d_weight_grad", "conv3d_weight_grad"},
    kConvTranspose{"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};

/// What a pass reads, contiguous, and the one that it writes: of the gradients, y is the gradient of the output.
struct ConvTensors {
  Tensor x, weight, y;
  Tensor bias = {};  ///< forward's, or undefined
};

// By rule 4 of docs/ordering.md on the CPU, and on CUDA at level device_to_device.
ORDO_DEVICES(void, convolve, ConvPass, const ConvShape&, const ConvTensors&)

namespace cuda {
/// Convolves by cuDNN, where it is present and used at this level; false if it has no algorithm.
bool library_convolve(ConvPass, const ConvShape&, const ConvTensors&);
}  // namespace cuda

/// Whether convolutions of this dtype are to be exact (engine/run/matmul_algorithm.h).
bool convolves_exactly(DType dtype);
/// What the pass writes, of `sizes`, by rule 5; a bias is of the output of `forward`, and of that of `input_grad`.
/// Tensors are checked and contiguous.
Tensor exact_convolve(const char* op, ConvPass pass, const ConvShape& s, const Dims& sizes, const ConvTensors& t);

}  // namespace ordo::kernels
