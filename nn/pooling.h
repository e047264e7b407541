// Pooling over windows, in 1, 2 and 3 spatial dimensions; in 2: [N, C, H, W] -> [N, C, H', W'].
//   MaxPool, AvgPool, LPPool  H' = (H + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or up with
//                         ceil_mode; stride is the kernel's size unless given; LPPool(p, ...) is (sum of x^p)^(1/p)
//   AdaptiveAvgPool, AdaptiveMaxPool  H' x W' is the given size; window i covers rows floor(i H / H') up to
//                         ceil((i + 1) H / H')
//   FractionalMaxPool2d, 3d  windows at random places, drawn at every call; exactly one of output_size and output_ratio
//                         is given; as fractional_max_pool2d and 3d
//   MaxUnpool             puts maxima back to the places that max_pool2d_with_indices gave: unpool(y, indices)
//
//   nn::Sequential model{nn::Conv2d(1, 16, 3), nn::ReLU(), nn::MaxPool2d(3, {.stride = 2}), nn::AdaptiveAvgPool2d(1)};
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/size.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

template <int N>
struct MaxPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
  Size<N> dilation = 1;
  bool ceil_mode = false;
};
using MaxPool1dOptions = MaxPoolOptions<1>;
using MaxPool2dOptions = MaxPoolOptions<2>;
using MaxPool3dOptions = MaxPoolOptions<3>;

/// Over N spatial dimensions.
template <int N>
class MaxPool : public Module {
 public:
  explicit MaxPool(Size<N> kernel, MaxPoolOptions<N> options = {}) : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  Size<N> kernel_;
  MaxPoolOptions<N> options_;
};
using MaxPool1d = MaxPool<1>;
using MaxPool2d = MaxPool<2>;
using MaxPool3d = MaxPool<3>;

template <int N>
struct AvgPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;                 ///< padding counts in the divisor
  std::optional<int64_t> divisor_override = {};  ///< divides by this instead
};
template <>
struct AvgPoolOptions<1> {
  OptionalSize1 stride = {};
  Size1 padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;
};
using AvgPool1dOptions = AvgPoolOptions<1>;
using AvgPool2dOptions = AvgPoolOptions<2>;
using AvgPool3dOptions = AvgPoolOptions<3>;

template <int N>
class AvgPool : public Module {
 public:
  explicit AvgPool(Size<N> kernel, AvgPoolOptions<N> options = {}) : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  Size<N> kernel_;
  AvgPoolOptions<N> options_;
};
using AvgPool1d = AvgPool<1>;
using AvgPool2d = AvgPool<2>;
using AvgPool3d = AvgPool<3>;

/// Of the maxima, or of the means.
template <int N, bool kMax>
class AdaptivePool : public Module {
 public:
  explicit AdaptivePool(Size<N> output_size) : output_size_(output_size) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  Size<N> output_size_;
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

template <int N>
struct LPPoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  bool ceil_mode = false;
};
using LPPool1dOptions = LPPoolOptions<1>;
using LPPool2dOptions = LPPoolOptions<2>;
using LPPool3dOptions = LPPoolOptions<3>;

template <int N>
class LPPool : public Module {
 public:
  LPPool(double norm_type, Size<N> kernel, LPPoolOptions<N> options = {})
      : norm_type_(norm_type), kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double norm_type_;
  Size<N> kernel_;
  LPPoolOptions<N> options_;
};
using LPPool1d = LPPool<1>;
using LPPool2d = LPPool<2>;
using LPPool3d = LPPool<3>;

template <int N>
struct MaxUnpoolOptions {
  OptionalSize<N> stride = {};  ///< default: the kernel's size
  Size<N> padding = 0;
};
using MaxUnpool1dOptions = MaxUnpoolOptions<1>;
using MaxUnpool2dOptions = MaxUnpoolOptions<2>;
using MaxUnpool3dOptions = MaxUnpoolOptions<3>;

template <int N>
class MaxUnpool : public ModuleOf<MaxUnpool<N>> {
 public:
  explicit MaxUnpool(Size<N> kernel, MaxUnpoolOptions<N> options = {}) : kernel_(kernel), options_(options) {}
  Tensor forward(const Tensor& input, const Tensor& indices, const Dims& output_size = {});
  std::string description() const override;

 private:
  Size<N> kernel_;
  MaxUnpoolOptions<N> options_;
};
using MaxUnpool1d = MaxUnpool<1>;
using MaxUnpool2d = MaxUnpool<2>;
using MaxUnpool3d = MaxUnpool<3>;

template <int N>
struct FractionalMaxPoolOptions {
  OptionalSize<N> output_size = {};
  std::vector<double> output_ratio = {};  ///< of the input's size: one number for all axes, or one each
  Tensor random_samples = {};             ///< used instead of drawn numbers
};
using FractionalMaxPool2dOptions = FractionalMaxPoolOptions<2>;
using FractionalMaxPool3dOptions = FractionalMaxPoolOptions<3>;

/// Over N spatial dimensions, two or three.
template <int N>
class FractionalMaxPool : public Module {
 public:
  explicit FractionalMaxPool(Size<N> kernel, FractionalMaxPoolOptions<N> options)
      : kernel_(kernel), options_(std::move(options)) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  Size<N> kernel_;
  FractionalMaxPoolOptions<N> options_;
};
using FractionalMaxPool2d = FractionalMaxPool<2>;
using FractionalMaxPool3d = FractionalMaxPool<3>;

}  // namespace ordo::nn
