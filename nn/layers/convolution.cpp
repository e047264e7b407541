#include <ordo/nn/layers/convolution.h>

#include <cmath>

#include <ordo/engine/calls/check.h>
#include <ordo/kernels/windows/sliding.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>
#include <ordo/nn/layers/rank.h>

namespace ordo::nn {

constexpr const char* kConvNames[] = {"Conv1d",          "Conv2d",          "Conv3d",
                                      "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"};
template <int N, bool kTransposed>
static constexpr const char* kName = kConvNames[(kTransposed ? 3 : 0) + N - 1];

template <int N, bool kTransposed>
Convolution<N, kTransposed>::Convolution(int64_t in_channels, int64_t out_channels, Size<N> kernel, Options options)
    : options_(options) {
  const char* const op = kName<N, kTransposed>;
  ORDO_CHECK(in_channels > 0 && out_channels > 0, ValueError, op, "needs positive channel counts, not {} and {}",
             in_channels, out_channels);
  kernels::check_each(op, "kernel", kernel, 1);
  kernels::check_each(op, "stride", options.stride, 1);
  kernels::check_each(op, "dilation", options.dilation, 1);
  if constexpr (kTransposed)
    kernels::check_each(op, "padding", options.padding, 0);
  else
    kernels::check_each(op, "padding", options.padding.size(), 0);
  const int64_t groups = options.groups;
  ORDO_CHECK(groups > 0 && in_channels % groups == 0 && out_channels % groups == 0, ValueError, op,
             "groups = {} must divide in_channels = {} and out_channels = {}", groups, in_channels, out_channels);
  if constexpr (kTransposed) kernels::check_each(op, "output_padding", options.output_padding, 0);

  Dims sizes = kTransposed ? Dims{in_channels, out_channels / groups} : Dims{out_channels, in_channels / groups};
  for (int64_t k : kernel) sizes.push_back(k);
  weight = add_parameter("weight", zeros(sizes));
  if (options.bias) bias = add_parameter("bias", zeros({out_channels}));
  reset_parameters();
}

template <int N, bool kTransposed>
Tensor Convolution<N, kTransposed>::forward(const Tensor& input) {
  const Options& o = options_;
  if constexpr (kTransposed)
    return of_rank<N>(conv_transpose1d, conv_transpose2d, conv_transpose3d)(
        input, weight, bias, {o.stride, o.padding, o.output_padding, o.groups, o.dilation});
  else
    return of_rank<N>(conv1d, conv2d, conv3d)(input, weight, bias, {o.stride, o.padding, o.dilation, o.groups});
}

template <int N, bool kTransposed>
void Convolution<N, kTransposed>::reset_parameters() {
  init::kaiming_uniform_(weight, {.negative_slope = std::sqrt(5.0)});
  if (!bias.defined()) return;
  const double bound = 1 / std::sqrt(double(init::fans(weight).in));
  init::uniform_(bias, -bound, bound);
}

template <int N, bool kTransposed>
std::string Convolution<N, kTransposed>::description() const {
  const Options& o = options_;
  const std::vector<int64_t> kernel(weight.sizes().begin() + 2, weight.sizes().end());
  if constexpr (kTransposed)
    return Description(kName<N, kTransposed>, weight.size(0), weight.size(1) * o.groups)
        .with("kernel_size", kernel)
        .with_options(o, "stride", "padding", "output_padding", "groups", "bias", "dilation");
  else
    return Description(kName<N, kTransposed>, weight.size(1) * o.groups, weight.size(0))
        .with("kernel_size", kernel)
        .with_options(o, "stride", "padding", "dilation", "groups", "bias");
}

template class Convolution<1, false>;
template class Convolution<2, false>;
template class Convolution<3, false>;
template class Convolution<1, true>;
template class Convolution<2, true>;
template class Convolution<3, true>;

}  // namespace ordo::nn
