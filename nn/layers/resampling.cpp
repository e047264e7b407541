#include <ordo/nn/layers/resampling.h>

#include <array>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>
#include <ordo/nn/layers/rank.h>

namespace ordo::nn {

static std::string description_of(const UpsampleOptions& o) {
  constexpr const char* kModes[] = {"nearest", "nearest_exact", "linear", "bilinear", "bicubic", "trilinear", "area"};
  const auto one_or_all = [](const auto& values) {
    const auto* const first = &*values.begin();
    return values.size() == 1 ? Description::text(*first) : Description::list(first, first + values.size());
  };
  Description d("Upsample");
  if (!o.size.empty()) d.with("size", one_or_all(o.size));
  if (!o.scale_factor.empty()) d.with("scale_factor", one_or_all(o.scale_factor));
  return d.with("mode", size_t(o.mode) < std::size(kModes) ? kModes[size_t(o.mode)] : "invalid")
      .with("align_corners", o.align_corners, std::nullopt)
      .with("recompute_scale_factor", o.recompute_scale_factor, false);
}

static Tensor channel_shuffle(const Tensor& input, int64_t groups) {
  const char* const op = "ChannelShuffle";
  ordo::detail::expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, op, "takes inputs [..., C, H, W], not {}", input.sizes());
  ORDO_CHECK(groups > 0 && input.size(-3) % groups == 0, ShapeError, op,
             "{} groups must divide the {} channels of the input", groups, input.size(-3));
  const Tensor split = input.unflatten(-3, {groups, input.size(-3) / groups});
  return split.transpose(-3, -4).flatten(-4, -3);
}

Upsample::Upsample(UpsampleOptions o)
    : Layer({.function = [=](const Tensor& x) { return interpolate(x, o); }, .description = description_of(o)}) {}

template <int N>
ConstantPad<N>::ConstantPad(PadWidths<N> padding, double value)
    : Layer({.function = [=](const Tensor& x) { return pad(x, padding, PadMode::constant, value); },
             .description = Description(name_of_rank<N>("ConstantPad"), padding, value)}) {}

template <int N, PadMode kMode>
Pad<N, kMode>::Pad(PadWidths<N> padding)
    : Layer({.function = [=](const Tensor& x) { return pad(x, padding, kMode); },
             .description = Description(name_of_rank<N>(std::array{"ZeroPad", "ReflectionPad", "ReplicationPad",
                                                                   "CircularPad"}[size_t(kMode)]),
                                        padding)}) {}

#define ORDO_FOR_RANK(N)                      \
  template struct ConstantPad<N>;             \
  template struct Pad<N, PadMode::constant>;  \
  template struct Pad<N, PadMode::reflect>;   \
  template struct Pad<N, PadMode::replicate>; \
  template struct Pad<N, PadMode::circular>;
ORDO_FOR_RANK(1)
ORDO_FOR_RANK(2)
ORDO_FOR_RANK(3)
#undef ORDO_FOR_RANK

std::string RoIAlign::description() const {
  return Description("RoIAlign", output_size_).with_options(options_, "spatial_scale", "sampling_ratio", "aligned");
}

std::string RoIPool::description() const {
  return Description("RoIPool", output_size_).with_options(options_, "spatial_scale");
}

Flatten::Flatten(FlattenOptions o)
    : Layer({.function = [=](const Tensor& x) { return x.flatten(o.start_dim, o.end_dim); },
             .description = Description("Flatten").with_options(o, "start_dim", "end_dim")}) {}
Unflatten::Unflatten(int64_t dim, Dims size)
    : Layer({.function = [=](const Tensor& x) { return unflatten(x, dim, size); },
             .description = Description("Unflatten", dim, size)}) {}
PixelShuffle::PixelShuffle(int64_t factor)
    : Layer({.function = [=](const Tensor& x) { return pixel_shuffle(x, factor); },
             .description = Description("PixelShuffle", factor)}) {}
PixelUnshuffle::PixelUnshuffle(int64_t factor)
    : Layer({.function = [=](const Tensor& x) { return pixel_unshuffle(x, factor); },
             .description = Description("PixelUnshuffle", factor)}) {}
ChannelShuffle::ChannelShuffle(int64_t groups)
    : Layer({.function = [=](const Tensor& x) { return channel_shuffle(x, groups); },
             .description = Description("ChannelShuffle", groups)}) {}
Unfold::Unfold(Size2 kernel, UnfoldOptions o)
    : Layer({.function = [=](const Tensor& x) { return unfold(x, kernel, o); },
             .description = Description("Unfold", kernel).with_options(o, "dilation", "padding", "stride")}) {}
Fold::Fold(Size2 output_size, Size2 kernel, UnfoldOptions o)
    : Layer(
          {.function = [=](const Tensor& x) { return fold(x, output_size, kernel, o); },
           .description = Description("Fold", output_size, kernel).with_options(o, "dilation", "padding", "stride")}) {}

}  // namespace ordo::nn
