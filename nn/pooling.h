// Pooling over windows of an image: [N, C, H, W] -> [N, C, H', W'].
//   MaxPool2d, AvgPool2d  H' = (H + 2 padding - dilation (kernel - 1) - 1) / stride + 1, rounded down, or up with
//   ceil_mode;
//                         stride is the kernel's size unless given
//   AdaptiveAvgPool2d     H' x W' is the given size; window i covers rows floor(i H / H') up to ceil((i + 1) H / H')
//   FractionalMaxPool2d, 3d  windows at random places, drawn at every call; exactly one of output_size and output_ratio
//                         is given; as fractional_max_pool2d and 3d
//
//   nn::Sequential model{nn::Conv2d(1, 16, 3), nn::ReLU(), nn::MaxPool2d(3, {.stride = 2}), nn::AdaptiveAvgPool2d(1)};
#pragma once

#include <optional>
#include <vector>

#include <ordo/engine/size.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct MaxPool2dOptions {
  OptionalSize2 stride = {};  ///< default: the kernel's size
  Size2 padding = 0;
  Size2 dilation = 1;
  bool ceil_mode = false;
};

class MaxPool2d : public Module {
 public:
  explicit MaxPool2d(Size2 kernel, MaxPool2dOptions options = {});
  Tensor forward(const Tensor& input) override;

 private:
  Size2 kernel_;
  MaxPool2dOptions options_;
};

struct AvgPool2dOptions {
  OptionalSize2 stride = {};  ///< default: the kernel's size
  Size2 padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;                 ///< padding counts in the divisor
  std::optional<int64_t> divisor_override = {};  ///< divides by this instead
};

class AvgPool2d : public Module {
 public:
  explicit AvgPool2d(Size2 kernel, AvgPool2dOptions options = {});
  Tensor forward(const Tensor& input) override;

 private:
  Size2 kernel_;
  AvgPool2dOptions options_;
};

class AdaptiveAvgPool2d : public Module {
 public:
  explicit AdaptiveAvgPool2d(Size2 output_size);
  Tensor forward(const Tensor& input) override;

 private:
  Size2 output_size_;
};

struct FractionalMaxPool2dOptions {
  OptionalSize2 output_size = {};
  std::vector<double> output_ratio = {};  ///< of the input's size: one number for all axes, or one each
  Tensor random_samples = {};             ///< used instead of drawn numbers
};

class FractionalMaxPool2d : public Module {
 public:
  explicit FractionalMaxPool2d(Size2 kernel, FractionalMaxPool2dOptions options);
  Tensor forward(const Tensor& input) override;

 private:
  Size2 kernel_;
  FractionalMaxPool2dOptions options_;
};

struct FractionalMaxPool3dOptions {
  OptionalSize3 output_size = {};
  std::vector<double> output_ratio = {};  ///< of the input's size: one number for all axes, or one each
  Tensor random_samples = {};             ///< used instead of drawn numbers
};

class FractionalMaxPool3d : public Module {
 public:
  explicit FractionalMaxPool3d(Size3 kernel, FractionalMaxPool3dOptions options);
  Tensor forward(const Tensor& input) override;

 private:
  Size3 kernel_;
  FractionalMaxPool3dOptions options_;
};

}  // namespace ordo::nn
