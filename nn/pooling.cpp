#include <ordo/nn/pooling.h>

#include <ordo/autograd/ops/adaptive_avg_pool.h>
#include <ordo/autograd/ops/avg_pool.h>
#include <ordo/autograd/ops/fractional_max_pool.h>
#include <ordo/autograd/ops/max_pool.h>

namespace ordo::nn {

MaxPool2d::MaxPool2d(Size2 kernel, MaxPool2dOptions options) : kernel_(kernel), options_(options) {}
Tensor MaxPool2d::forward(const Tensor& input) {
  return max_pool2d(input, kernel_, options_.stride, options_.padding, options_.dilation, options_.ceil_mode);
}

AvgPool2d::AvgPool2d(Size2 kernel, AvgPool2dOptions options) : kernel_(kernel), options_(options) {}
Tensor AvgPool2d::forward(const Tensor& input) {
  return avg_pool2d(input, kernel_, options_.stride, options_.padding, options_.ceil_mode, options_.count_include_pad,
                    options_.divisor_override);
}

AdaptiveAvgPool2d::AdaptiveAvgPool2d(Size2 output_size) : output_size_(output_size) {}
Tensor AdaptiveAvgPool2d::forward(const Tensor& input) { return adaptive_avg_pool2d(input, output_size_); }

FractionalMaxPool2d::FractionalMaxPool2d(Size2 kernel, FractionalMaxPool2dOptions options)
    : kernel_(kernel), options_(std::move(options)) {}
Tensor FractionalMaxPool2d::forward(const Tensor& input) {
  return fractional_max_pool2d(input, kernel_, options_.output_size, options_.output_ratio, options_.random_samples);
}

FractionalMaxPool3d::FractionalMaxPool3d(Size3 kernel, FractionalMaxPool3dOptions options)
    : kernel_(kernel), options_(std::move(options)) {}
Tensor FractionalMaxPool3d::forward(const Tensor& input) {
  return fractional_max_pool3d(input, kernel_, options_.output_size, options_.output_ratio, options_.random_samples);
}

}  // namespace ordo::nn
