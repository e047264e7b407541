#include <ordo/nn/convolution.h>

#include <cmath>

#include <ordo/autograd/ops/convolution.h>
#include <ordo/engine/check.h>
#include <ordo/kernels/windows/sliding.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {
namespace {

constexpr const char* kConv[] = {"Conv1d", "Conv2d", "Conv3d"};
constexpr const char* kTransposed[] = {"ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};

template <int N, class Options>
void check_arguments(const char* op, int64_t in_channels, int64_t out_channels, const Size<N>& kernel,
                     const Options& options) {
  ORDO_CHECK(in_channels > 0 && out_channels > 0, ValueError, op, "needs positive channel counts, not {} and {}",
             in_channels, out_channels);
  kernels::check_each(op, "kernel", kernel, 1);
  kernels::check_each(op, "stride", options.stride, 1);
  kernels::check_each(op, "dilation", options.dilation, 1);
  kernels::check_each(op, "padding", options.padding, 0);
  ORDO_CHECK(options.groups > 0 && in_channels % options.groups == 0 && out_channels % options.groups == 0, ValueError,
             op, "groups = {} must divide in_channels = {} and out_channels = {}", options.groups, in_channels,
             out_channels);
}

template <int N>
Dims weight_sizes(int64_t first, int64_t second, const Size<N>& kernel) {
  Dims sizes{first, second};
  for (int64_t k : kernel) sizes.push_back(k);
  return sizes;
}

template <int N>
Size<N> kernel_of(const Parameter& weight) {
  if constexpr (N == 1) return weight.size(2);
  if constexpr (N == 2) return {weight.size(2), weight.size(3)};
  if constexpr (N == 3) return {weight.size(2), weight.size(3), weight.size(4)};
}

void reset(const Parameter& weight, const Parameter& bias) {
  init::kaiming_uniform_(weight, {.negative_slope = std::sqrt(5.0)});
  if (!bias.defined()) return;
  const double bound = 1 / std::sqrt(double(init::fans(weight).in));
  init::uniform_(bias, -bound, bound);
}

}  // namespace

template <int N>
Conv<N>::Conv(int64_t in_channels, int64_t out_channels, Size<N> kernel, ConvOptions<N> options) : options_(options) {
  check_arguments(kConv[N - 1], in_channels, out_channels, kernel, options);
  weight = add_parameter("weight", zeros(weight_sizes(out_channels, in_channels / options.groups, kernel)));
  if (options.bias) bias = add_parameter("bias", zeros({out_channels}));
  reset_parameters();
}

template <int N>
Tensor Conv<N>::forward(const Tensor& input) {
  const ConvOptions<N>& o = options_;
  if constexpr (N == 1) return conv1d(input, weight, bias, o.stride, o.padding, o.dilation, o.groups);
  if constexpr (N == 2) return conv2d(input, weight, bias, o.stride, o.padding, o.dilation, o.groups);
  if constexpr (N == 3) return conv3d(input, weight, bias, o.stride, o.padding, o.dilation, o.groups);
}

template <int N>
void Conv<N>::reset_parameters() {
  reset(weight, bias);
}

template <int N>
std::string Conv<N>::description() const {
  const ConvOptions<N>& o = options_;
  return Description(kConv[N - 1], weight.size(1) * o.groups, weight.size(0))
      .with("kernel_size", kernel_of<N>(weight))
      .with_options(o, "stride", "padding", "dilation", "groups", "bias");
}

template <int N>
ConvTranspose<N>::ConvTranspose(int64_t in_channels, int64_t out_channels, Size<N> kernel,
                                ConvTransposeOptions<N> options)
    : options_(options) {
  check_arguments(kTransposed[N - 1], in_channels, out_channels, kernel, options);
  kernels::check_each(kTransposed[N - 1], "output_padding", options.output_padding, 0);
  weight = add_parameter("weight", zeros(weight_sizes(in_channels, out_channels / options.groups, kernel)));
  if (options.bias) bias = add_parameter("bias", zeros({out_channels}));
  reset_parameters();
}

template <int N>
Tensor ConvTranspose<N>::forward(const Tensor& input) {
  const ConvTransposeOptions<N>& o = options_;
  if constexpr (N == 1)
    return conv_transpose1d(input, weight, bias, o.stride, o.padding, o.output_padding, o.groups, o.dilation);
  if constexpr (N == 2)
    return conv_transpose2d(input, weight, bias, o.stride, o.padding, o.output_padding, o.groups, o.dilation);
  if constexpr (N == 3)
    return conv_transpose3d(input, weight, bias, o.stride, o.padding, o.output_padding, o.groups, o.dilation);
}

template <int N>
void ConvTranspose<N>::reset_parameters() {
  reset(weight, bias);
}

template <int N>
std::string ConvTranspose<N>::description() const {
  const ConvTransposeOptions<N>& o = options_;
  return Description(kTransposed[N - 1], weight.size(0), weight.size(1) * o.groups)
      .with("kernel_size", kernel_of<N>(weight))
      .with_options(o, "stride", "padding", "output_padding", "groups", "bias", "dilation");
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;
template class ConvTranspose<1>;
template class ConvTranspose<2>;
template class ConvTranspose<3>;

}  // namespace ordo::nn
