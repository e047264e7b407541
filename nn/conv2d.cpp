#include <ordo/nn/conv2d.h>

#include <cmath>

#include <ordo/autograd/ops/conv2d.h>
#include <ordo/engine/check.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, Size2 kernel, Conv2dOptions options) : options_(options) {
  ORDO_CHECK(in_channels > 0 && out_channels > 0, ValueError, "Conv2d", "needs positive channel counts, not {} and {}",
             in_channels, out_channels);
  ORDO_CHECK(kernel.h > 0 && kernel.w > 0, ValueError, "Conv2d", "needs a positive kernel size, not [{}, {}]", kernel.h,
             kernel.w);
  ORDO_CHECK(options.stride.h > 0 && options.stride.w > 0 && options.dilation.h > 0 && options.dilation.w > 0,
             ValueError, "Conv2d", "needs positive stride and dilation, not [{}, {}] and [{}, {}]", options.stride.h,
             options.stride.w, options.dilation.h, options.dilation.w);
  ORDO_CHECK(options.padding.h >= 0 && options.padding.w >= 0, ValueError, "Conv2d",
             "needs a padding of at least 0, not [{}, {}]", options.padding.h, options.padding.w);
  ORDO_CHECK(options.groups > 0 && in_channels % options.groups == 0 && out_channels % options.groups == 0, ValueError,
             "Conv2d", "groups = {} must divide in_channels = {} and out_channels = {}", options.groups, in_channels,
             out_channels);
  weight = add_parameter("weight", zeros({out_channels, in_channels / options.groups, kernel.h, kernel.w}));
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
