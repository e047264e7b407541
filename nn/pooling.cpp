#include <ordo/nn/pooling.h>

#include <ordo/autograd/ops/pooling.h>
#include <ordo/nn/description.h>

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

namespace {

template <int N>
std::string name_of(const char* pool) {
  return std::string(pool) + char('0' + N) + "d";
}

/// One of output_size and output_ratio is given.
template <int N, class Options>
std::string of_fractional(const Size<N>& kernel, const Options& o) {
  Description d(name_of<N>("FractionalMaxPool"), kernel);
  const Size<N> size = o.output_size.value_or(0);
  if (o.output_ratio.empty())
    d.with("output_size", size);
  else
    d.with("output_ratio", Description::list(o.output_ratio.data(), o.output_ratio.data() + o.output_ratio.size()));
  return d;
}

}  // namespace

template <int N>
std::string MaxPool<N>::description() const {
  const MaxPoolOptions<N>& o = options_;
  return Description(name_of<N>("MaxPool"), kernel_)
      .with("stride", o.stride.value_or(kernel_), kernel_)
      .with("padding", o.padding, 0)
      .with("dilation", o.dilation, 1)
      .with("ceil_mode", o.ceil_mode, false);
}

template <int N>
std::string AvgPool<N>::description() const {
  const AvgPoolOptions<N>& o = options_;
  Description d(name_of<N>("AvgPool"), kernel_);
  d.with("stride", o.stride.value_or(kernel_), kernel_)
      .with("padding", o.padding, 0)
      .with("ceil_mode", o.ceil_mode, false)
      .with("count_include_pad", o.count_include_pad, true);
  if constexpr (N > 1) d.with("divisor_override", o.divisor_override, std::nullopt);
  return d;
}

template <int N>
std::string AdaptiveAvgPool<N>::description() const {
  return Description(name_of<N>("AdaptiveAvgPool"), output_size_);
}

template <int N>
std::string AdaptiveMaxPool<N>::description() const {
  return Description(name_of<N>("AdaptiveMaxPool"), output_size_);
}

template <int N>
std::string LPPool<N>::description() const {
  return Description(name_of<N>("LPPool"), norm_type_, kernel_)
      .with("stride", options_.stride.value_or(kernel_), kernel_)
      .with("ceil_mode", options_.ceil_mode, false);
}

template <int N>
std::string MaxUnpool<N>::description() const {
  return Description(name_of<N>("MaxUnpool"), kernel_)
      .with("stride", options_.stride.value_or(kernel_), kernel_)
      .with("padding", options_.padding, 0);
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
std::string FractionalMaxPool2d::description() const { return of_fractional(kernel_, options_); }
Tensor FractionalMaxPool2d::forward(const Tensor& input) {
  return fractional_max_pool2d(input, kernel_, options_.output_size, options_.output_ratio, options_.random_samples);
}

FractionalMaxPool3d::FractionalMaxPool3d(Size3 kernel, FractionalMaxPool3dOptions options)
    : kernel_(kernel), options_(std::move(options)) {}
std::string FractionalMaxPool3d::description() const { return of_fractional(kernel_, options_); }
Tensor FractionalMaxPool3d::forward(const Tensor& input) {
  return fractional_max_pool3d(input, kernel_, options_.output_size, options_.output_ratio, options_.random_samples);
}

}  // namespace ordo::nn
