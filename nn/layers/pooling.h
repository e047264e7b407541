// Pooling over windows in 1, 2 and 3 spatial dimensions, as modules.
//
//   nn::Sequential model{nn::Conv2d(1, 16, 3), nn::ReLU(), nn::MaxPool2d(3, {.stride = 2}), nn::AdaptiveAvgPool2d(1)};
#pragma once

#include <string>

#include <ordo/autograd/ops/functional/pooling.h>
#include <ordo/engine/tensor/size.h>
#include <ordo/nn/layers/layer.h>

namespace ordo::nn {

using ordo::MaxPoolOptions;
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

/// The maximum of every window: max_pool1d, 2d, 3d.
///
/// Shapes: in 2 dimensions [N, C, H, W] or [C, H, W] to [N, C, H', W'] or [C, H', W'], H' = (H + 2 padding - dilation
/// (kernel - 1) - 1) / stride + 1, rounded down, or up with ceil_mode.
/// Dtypes, Throws: forward as the function.
/// PyTorch: torch.nn.MaxPool1d, 2d, 3d.
template <int N>
struct MaxPool : Layer {
  explicit MaxPool(Size<N> kernel, MaxPoolOptions<N> options = {});
};
using MaxPool1d = MaxPool<1>;
using MaxPool2d = MaxPool<2>;
using MaxPool3d = MaxPool<3>;

using ordo::AvgPoolOptions;
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

/// The average of every window: avg_pool1d, 2d, 3d.
///
/// Shapes, Dtypes, Throws: as MaxPool with a dilation of 1.
/// PyTorch: torch.nn.AvgPool1d, 2d, 3d.
template <int N>
struct AvgPool : Layer {
  explicit AvgPool(Size<N> kernel, AvgPoolOptions<N> options = {});
};
using AvgPool1d = AvgPool<1>;
using AvgPool2d = AvgPool<2>;
using AvgPool3d = AvgPool<3>;

/// The maximum or the average of windows that make a result of a given size: window i of O covers cells floor(i I / O)
/// up to ceil((i + 1) I / O) of an input of I.
///
/// Shapes: in 2 dimensions [N, C, H, W] or [C, H, W] to [N, C, output_size] or [C, output_size].
/// Dtypes, Throws: forward as adaptive_max_pool2d, adaptive_avg_pool2d.
/// PyTorch: torch.nn.AdaptiveMaxPool2d, torch.nn.AdaptiveAvgPool2d and so on.
template <int N, bool kMax>
struct AdaptivePool : Layer {
  explicit AdaptivePool(Size<N> output_size);
};
template <int N>
using AdaptiveAvgPool = AdaptivePool<N, false>;
using AdaptiveAvgPool1d = AdaptiveAvgPool<1>;
using AdaptiveAvgPool2d = AdaptiveAvgPool<2>;
using AdaptiveAvgPool3d = AdaptiveAvgPool<3>;
template <int N>
using AdaptiveMaxPool = AdaptivePool<N, true>;
using AdaptiveMaxPool1d = AdaptiveMaxPool<1>;
using AdaptiveMaxPool2d = AdaptiveMaxPool<2>;
using AdaptiveMaxPool3d = AdaptiveMaxPool<3>;

using ordo::LPPoolOptions;
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;

/// (sum of x^p)^(1/p) over every window, p = norm_type: lp_pool1d, 2d, 3d.
///
/// Shapes, Dtypes, Throws: as MaxPool without padding, with a dilation of 1.
/// PyTorch: torch.nn.LPPool1d, 2d, 3d.
template <int N>
struct LPPool : Layer {
  LPPool(double norm_type, Size<N> kernel, LPPoolOptions<N> options = {});
};
using LPPool1d = LPPool<1>;
using LPPool2d = LPPool<2>;
using LPPool3d = LPPool<3>;

using ordo::MaxUnpoolOptions;
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

/// Puts maxima back to the places that max_pool1d_with_indices, 2d or 3d gave: max_unpool1d, 2d, 3d.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.MaxUnpool1d, 2d, 3d.
template <int N>
class MaxUnpool : public ModuleOf<MaxUnpool<N>> {
 public:
  explicit MaxUnpool(Size<N> kernel, MaxUnpoolOptions<N> options = {});
  Tensor forward(const Tensor& input, const Tensor& indices, const Dims& output_size = {});
  std::string description() const override;

 private:
  Size<N> kernel_;
  MaxUnpoolOptions<N> options_;
};
using MaxUnpool1d = MaxUnpool<1>;
using MaxUnpool2d = MaxUnpool<2>;
using MaxUnpool3d = MaxUnpool<3>;

using ordo::FractionalMaxPoolOptions;
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

/// The maximum of windows at random places, drawn at every call: fractional_max_pool2d, 3d. Exactly one of output_size
/// and output_ratio is given.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.FractionalMaxPool2d, 3d.
template <int N>
struct FractionalMaxPool : Layer {
  explicit FractionalMaxPool(Size<N> kernel, FractionalMaxPoolOptions<N> options);
};
using FractionalMaxPool2d = FractionalMaxPool<2>;
using FractionalMaxPool3d = FractionalMaxPool<3>;

}  // namespace ordo::nn
