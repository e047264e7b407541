#include <ordo/nn/pooling.h>

#include <ordo/autograd/ops/adaptive_avg_pool.h>
#include <ordo/autograd/ops/adaptive_max_pool.h>
#include <ordo/autograd/ops/avg_pool.h>
#include <ordo/autograd/ops/fractional_max_pool.h>
#include <ordo/autograd/ops/lp_pool.h>
#include <ordo/autograd/ops/max_pool.h>
#include <ordo/autograd/ops/max_unpool.h>

namespace ordo::nn {

// f1d, f2d or f3d, by the number of dimensions.
#define ORDO_OF_RANK(f, ...)                       \
  if constexpr (N == 1) return f##1d(__VA_ARGS__); \
  if constexpr (N == 2) return f##2d(__VA_ARGS__); \
  if constexpr (N == 3) return f##3d(__VA_ARGS__)

template <int N>
Tensor MaxPool<N>::forward(const Tensor& input) {
  ORDO_OF_RANK(max_pool, input, kernel_, options_.stride, options_.padding, options_.dilation, options_.ceil_mode);
}

template <int N>
Tensor AvgPool<N>::forward(const Tensor& input) {
  const AvgPoolOptions<N>& o = options_;
  if constexpr (N == 1) {
    return avg_pool1d(input, kernel_, o.stride, o.padding, o.ceil_mode, o.count_include_pad);
  } else {
    ORDO_OF_RANK(avg_pool, input, kernel_, o.stride, o.padding, o.ceil_mode, o.count_include_pad, o.divisor_override);
  }
}

template <int N>
Tensor AdaptiveAvgPool<N>::forward(const Tensor& input) {
  ORDO_OF_RANK(adaptive_avg_pool, input, output_size_);
}

template <int N>
Tensor AdaptiveMaxPool<N>::forward(const Tensor& input) {
  ORDO_OF_RANK(adaptive_max_pool, input, output_size_);
}

template <int N>
Tensor LPPool<N>::forward(const Tensor& input) {
  ORDO_OF_RANK(lp_pool, input, norm_type_, kernel_, options_.stride, options_.ceil_mode);
}

template <int N>
Tensor MaxUnpool<N>::forward(const Tensor& input, const Tensor& indices, const Dims& output_size) {
  ORDO_OF_RANK(max_unpool, input, indices, kernel_, options_.stride, options_.padding, output_size);
}

#define ORDO_ALL_RANKS(Pool) \
  template class Pool<1>;    \
  template class Pool<2>;    \
  template class Pool<3>
ORDO_ALL_RANKS(MaxPool);
ORDO_ALL_RANKS(AvgPool);
ORDO_ALL_RANKS(AdaptiveAvgPool);
ORDO_ALL_RANKS(AdaptiveMaxPool);
ORDO_ALL_RANKS(LPPool);
ORDO_ALL_RANKS(MaxUnpool);

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
