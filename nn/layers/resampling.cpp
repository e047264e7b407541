#include <ordo/nn/layers/resampling.h>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

Tensor detail::channel_shuffle(const Tensor& input, int64_t groups) {
  const char* const op = "ChannelShuffle";
  expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, op, "takes inputs [..., C, H, W], not {}", input.sizes());
  ORDO_CHECK(groups > 0 && input.size(-3) % groups == 0, ShapeError, op,
             "{} groups must divide the {} channels of the input", groups, input.size(-3));
  const Tensor split = input.unflatten(-3, {groups, input.size(-3) / groups});
  return split.transpose(-3, -4).flatten(-4, -3);
}

std::string nn::Upsample::description() const {
  constexpr const char* kModes[] = {"nearest", "nearest_exact", "linear", "bilinear", "bicubic", "trilinear", "area"};
  const auto one_or_all = [](const auto& values) {
    const auto* const first = &*values.begin();
    return values.size() == 1 ? Description::text(*first) : Description::list(first, first + values.size());
  };
  const UpsampleOptions& o = options_;
  Description d("Upsample");
  if (!o.size.empty()) d.with("size", one_or_all(o.size));
  if (!o.scale_factor.empty()) d.with("scale_factor", one_or_all(o.scale_factor));
  return d.with("mode", kModes[int(o.mode)])
      .with("align_corners", o.align_corners, std::nullopt)
      .with("recompute_scale_factor", o.recompute_scale_factor, false);
}

}  // namespace ordo
