// Conv2d: y[n, o] = bias[o] + sum over c of (x[n, c] cross-correlated with weight[o, c])
//   x [N, C, H, W], "weight" [O, C / groups, kH, kW], "bias" [O], y [N, O, H', W'],
//   H' = (H + 2 padding - dilation (kH - 1) - 1) / stride + 1, rounded down; W' likewise.
// Both start as U(-b, b), b = 1 / sqrt(C / groups * kH * kW).
//
//   nn::Conv2d conv(1, 16, {3, 3}, {.padding = 1});
//   Tensor y = conv(images);   // [N, 1, 28, 28] -> [N, 16, 28, 28]
#pragma once

#include <ordo/engine/size.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

struct Conv2dOptions {
  Size2 stride = 1;
  Size2 padding = 0;
  Size2 dilation = 1;
  int64_t groups = 1;
  bool bias = true;
};

class Conv2d : public Module {
 public:
  /// ValueError unless all sizes are positive, padding is at least 0 and groups divides both channel counts.
  Conv2d(int64_t in_channels, int64_t out_channels, Size2 kernel, Conv2dOptions options = {});
  Tensor forward(const Tensor& input) override;
  /// Draws new initial values.
  void reset_parameters();

  Parameter weight, bias;  ///< bias is undefined without one

 private:
  Conv2dOptions options_;
};

}  // namespace ordo::nn
