#include <ordo/nn/layers/pooling.h>

#include <ordo/nn/description.h>
#include <ordo/nn/layers/rank.h>

namespace ordo::nn {

/// A stride of the kernel's size is the usual one: left out.
template <int N, class Options>
static Options with_stride(const Size<N>& kernel, Options options) {
  if (options.stride.value_or(kernel) == kernel) options.stride = {};
  return options;
}

template <int N>
static std::string description_of(const Size<N>& kernel, const AvgPoolOptions<N>& o) {
  Description d(name_of_rank<N>("AvgPool"), kernel);
  if constexpr (N == 1)
    return d.with_options(o, "stride", "padding", "ceil_mode", "count_include_pad");
  else
    return d.with_options(o, "stride", "padding", "ceil_mode", "count_include_pad", "divisor_override");
}

template <int N>
static std::string description_of(const Size<N>& kernel, const FractionalMaxPoolOptions<N>& o) {
  const std::vector<double>& ratio = o.output_ratio;  // or output_size: one of them is given
  Description d(name_of_rank<N>("FractionalMaxPool"), kernel);
  if (ratio.empty()) return d.with("output_size", o.output_size.value_or(0));
  return d.with("output_ratio", Description::list(ratio.data(), ratio.data() + ratio.size()));
}

template <int N>
MaxPool<N>::MaxPool(Size<N> kernel, MaxPoolOptions<N> o)
    : Layer({.function = [=](const Tensor& x) { return of_rank<N>(max_pool1d, max_pool2d, max_pool3d)(x, kernel, o); },
             .description = Description(name_of_rank<N>("MaxPool"), kernel)
                                .with_options(with_stride(kernel, o), "stride", "padding", "dilation", "ceil_mode")}) {}

template <int N>
AvgPool<N>::AvgPool(Size<N> kernel, AvgPoolOptions<N> o)
    : Layer({.function = [=](const Tensor& x) { return of_rank<N>(avg_pool1d, avg_pool2d, avg_pool3d)(x, kernel, o); },
             .description = description_of(kernel, with_stride(kernel, o))}) {}

template <int N, bool kMax>
AdaptivePool<N, kMax>::AdaptivePool(Size<N> size)
    : Layer({.function =
                 [=](const Tensor& x) {
                   if constexpr (kMax)
                     return of_rank<N>(adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d)(x, size);
                   else
                     return of_rank<N>(adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)(x, size);
                 },
             .description = Description(name_of_rank<N>(kMax ? "AdaptiveMaxPool" : "AdaptiveAvgPool"), size)}) {}

template <int N>
LPPool<N>::LPPool(double norm_type, Size<N> kernel, LPPoolOptions<N> o)
    : Layer({.function =
                 [=](const Tensor& x) { return of_rank<N>(lp_pool1d, lp_pool2d, lp_pool3d)(x, norm_type, kernel, o); },
             .description = Description(name_of_rank<N>("LPPool"), norm_type, kernel)
                                .with_options(with_stride(kernel, o), "stride", "ceil_mode")}) {}

template <int N>
FractionalMaxPool<N>::FractionalMaxPool(Size<N> kernel, FractionalMaxPoolOptions<N> o)
    : Layer({.function =
                 [=](const Tensor& x) {
                   return of_rank<N>(nullptr, fractional_max_pool2d, fractional_max_pool3d)(x, kernel, o);
                 },
             .description = description_of(kernel, o)}) {}

template <int N>
MaxUnpool<N>::MaxUnpool(Size<N> kernel, MaxUnpoolOptions<N> options)
    : kernel_(kernel), options_(with_stride(kernel, options)) {}
template <int N>
Tensor MaxUnpool<N>::forward(const Tensor& input, const Tensor& indices, const Dims& output_size) {
  MaxUnpoolOptions<N> options = options_;
  if (!output_size.empty()) options.output_size = output_size;
  return of_rank<N>(max_unpool1d, max_unpool2d, max_unpool3d)(input, indices, kernel_, options);
}
template <int N>
std::string MaxUnpool<N>::description() const {
  return Description(name_of_rank<N>("MaxUnpool"), kernel_).with_options(options_, "stride", "padding", "output_size");
}

#define ORDO_FOR_RANK(N)                  \
  template struct MaxPool<N>;             \
  template struct AvgPool<N>;             \
  template struct AdaptivePool<N, true>;  \
  template struct AdaptivePool<N, false>; \
  template struct LPPool<N>;              \
  template class MaxUnpool<N>;
ORDO_FOR_RANK(1)
ORDO_FOR_RANK(2)
ORDO_FOR_RANK(3)
#undef ORDO_FOR_RANK
template struct FractionalMaxPool<2>;
template struct FractionalMaxPool<3>;

}  // namespace ordo::nn
