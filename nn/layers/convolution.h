// Conv1d, 2d, 3d: y[n, o] = bias[o] + sum over c of (x[n, c] cross-correlated with weight[o, c])
//   in 2: x [N, C, H, W], "weight" [O, C / groups, kH, kW], "bias" [O], y [N, O, H', W'],
//   H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1, rounded down; W' likewise.
// Both start as U(-b, b), b = 1 / sqrt(C / groups * kH * kW).
// ConvTranspose1d, 2d, 3d: the input gradient of such a convolution, plus bias, as conv_transpose2d
//   "weight" [C, O / groups, kH, kW], H' = (H - 1) stride - 2 padding + dilation (kH - 1) + output_padding + 1.
// Both start as U(-b, b), b = 1 / sqrt(O / groups * kH * kW).
//
//   nn::Conv2d conv(1, 16, {3, 3}, {.padding = 1});
//   Tensor y = conv(images);   // [N, 1, 28, 28] -> [N, 16, 28, 28]
#pragma once

#include <type_traits>

#include <ordo/engine/tensor/size.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

template <int N>
struct ConvOptions {
  Size<N> stride = 1;
  Size<N> padding = 0;
  Size<N> dilation = 1;
  int64_t groups = 1;
  bool bias = true;
};
using Conv1dOptions = ConvOptions<1>;
using Conv2dOptions = ConvOptions<2>;
using Conv3dOptions = ConvOptions<3>;

template <int N>
struct ConvTransposeOptions {
  Size<N> stride = 1;
  Size<N> padding = 0;
  Size<N> output_padding = 0;
  int64_t groups = 1;
  bool bias = true;
  Size<N> dilation = 1;
};
using ConvTranspose1dOptions = ConvTransposeOptions<1>;
using ConvTranspose2dOptions = ConvTransposeOptions<2>;
using ConvTranspose3dOptions = ConvTransposeOptions<3>;

/// A convolution over N spatial dimensions, or its gradient with respect to the input as a layer: conv_transpose1d,
/// conv_transpose2d, conv_transpose3d.
template <int N, bool kTransposed>
class Convolution : public Module {
 public:
  using Options = std::conditional_t<kTransposed, ConvTransposeOptions<N>, ConvOptions<N>>;
  /// ValueError unless all sizes are positive, paddings are at least 0 and groups divides both channel counts; an
  /// output_padding that is too large is refused by forward.
  Convolution(int64_t in_channels, int64_t out_channels, Size<N> kernel, Options options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight, bias;  ///< bias is undefined without one

 private:
  Options options_;
};
template <int N>
using Conv = Convolution<N, false>;
using Conv1d = Conv<1>;
using Conv2d = Conv<2>;
using Conv3d = Conv<3>;
template <int N>
using ConvTranspose = Convolution<N, true>;
using ConvTranspose1d = ConvTranspose<1>;
using ConvTranspose2d = ConvTranspose<2>;
using ConvTranspose3d = ConvTranspose<3>;

}  // namespace ordo::nn
