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

template <int N, bool kMax>
Tensor AdaptivePool<N, kMax>::forward(const Tensor& input) {
  if constexpr (kMax) {
    ORDO_OF_RANK(adaptive_max_pool, input, output_size_);
  } else {
    ORDO_OF_RANK(adaptive_avg_pool, input, output_size_);
  }
}

template <int N>
Tensor FractionalMaxPool<N>::forward(const Tensor& input) {
  const FractionalMaxPoolOptions<N>& o = options_;
  if constexpr (N == 2) return fractional_max_pool2d(input, kernel_, o.output_size, o.output_ratio, o.random_samples);
  if constexpr (N == 3) return fractional_max_pool3d(input, kernel_, o.output_size, o.output_ratio, o.random_samples);
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

template <int N, bool kMax>
std::string AdaptivePool<N, kMax>::description() const {
  return Description(name_of<N>(kMax ? "AdaptiveMaxPool" : "AdaptiveAvgPool"), output_size_);
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

template <int N>
std::string FractionalMaxPool<N>::description() const {
  const std::vector<double>& ratio = options_.output_ratio;  // or output_size: one of them is given
  Description d(name_of<N>("FractionalMaxPool"), kernel_);
  if (ratio.empty()) return d.with("output_size", options_.output_size.value_or(0));
  return d.with("output_ratio", Description::list(ratio.data(), ratio.data() + ratio.size()));
}

#define ORDO_ALL_RANKS(Pool, ...)                   \
  template class Pool<1 __VA_OPT__(, __VA_ARGS__)>; \
  template class Pool<2 __VA_OPT__(, __VA_ARGS__)>; \
  template class Pool<3 __VA_OPT__(, __VA_ARGS__)>
ORDO_ALL_RANKS(MaxPool);
ORDO_ALL_RANKS(AvgPool);
ORDO_ALL_RANKS(AdaptivePool, false);
ORDO_ALL_RANKS(AdaptivePool, true);
ORDO_ALL_RANKS(LPPool);
ORDO_ALL_RANKS(MaxUnpool);
template class FractionalMaxPool<2>;
template class FractionalMaxPool<3>;

}  // namespace ordo::nn
