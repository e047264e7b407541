#include <ordo/nn/conv2d.h>

#include <cmath>

#include <ordo/autograd/ops/convolution.h>
#include <ordo/engine/check.h>
#include <ordo/kernels/windows/sliding.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, Size2 kernel, Conv2dOptions options) : options_(options) {
  ORDO_CHECK(in_channels > 0 && out_channels > 0, ValueError, "Conv2d", "needs positive channel counts, not {} and {}",
             in_channels, out_channels);
  kernels::check_each("Conv2d", "kernel", kernel, 1);
  kernels::check_each("Conv2d", "stride", options.stride, 1);
  kernels::check_each("Conv2d", "dilation", options.dilation, 1);
  kernels::check_each("Conv2d", "padding", options.padding, 0);
  ORDO_CHECK(options.groups > 0 && in_channels % options.groups == 0 && out_channels % options.groups == 0, ValueError,
             "Conv2d", "groups = {} must divide in_channels = {} and out_channels = {}", options.groups, in_channels,
             out_channels);
  weight = add_parameter("weight", zeros({out_channels, in_channels / options.groups, kernel[0], kernel[1]}));
  if (options.bias) bias = add_parameter("bias", zeros({out_channels}));
  reset_parameters();
}

Tensor Conv2d::forward(const Tensor& input) {
  return conv2d(input, weight, bias, options_.stride, options_.padding, options_.dilation, options_.groups);
}

void Conv2d::reset_parameters() {
  init::kaiming_uniform_(weight, {.negative_slope = std::sqrt(5.0)});
  if (!bias.defined()) return;
  const double bound = 1 / std::sqrt(double(init::fans(weight).in));
  init::uniform_(bias, -bound, bound);
}

}  // namespace ordo::nn
