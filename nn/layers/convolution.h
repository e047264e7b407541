// Convolutions as modules.
//
//   nn::Conv2d conv(1, 16, {3, 3}, {.padding = 1});
//   Tensor y = conv(images);   // [N, 1, 28, 28] -> [N, 16, 28, 28]
#pragma once

#include <type_traits>

#include <ordo/autograd/ops/functional/convolution.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

template <int N>
struct ConvOptions {
  Size<N> stride = 1;
  ConvPadding<N> padding = 0;  ///< numbers, or `same`
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

/// conv1d, conv2d, conv3d, or conv_transpose1d, 2d, 3d, of the input, the weight and the bias. Without kTransposed:
/// y[n, o] = bias[o] + sum over c of (x[n, c] cross-correlated with weight[o, c]).
///
/// Shapes: in 2 dimensions [N, C, H, W] or [C, H, W] to [N, O, H', W'] or [O, H', W'], H' = (H + 2 padding - dilation
/// (kH - 1) - 1) / stride + 1, rounded down; transposed, H' = (H - 1) stride - 2 padding + dilation (kH - 1) +
/// output_padding + 1; W' likewise.
/// Parameters: "weight" [O, C / groups, kH, kW], transposed [C, O / groups, kH, kW], and "bias" [O], both U(-b, b), b =
/// 1 / sqrt(weight.size(1) kH kW).
/// Throws: ValueError when a size is not positive, a padding is negative, or groups does not divide both channel
/// counts; forward as the function, which also refuses an output_padding that is too large.
/// PyTorch: torch.nn.Conv2d, torch.nn.ConvTranspose2d and so on.
template <int N, bool kTransposed>
class Convolution : public Module {
 public:
  using Options = std::conditional_t<kTransposed, ConvTransposeOptions<N>, ConvOptions<N>>;
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
