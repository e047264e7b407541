#include <ordo/nn/resampling.h>

#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::nn {

static std::string text(InterpolateMode mode) {
  constexpr const char* kModes[] = {"nearest", "nearest_exact", "linear", "bilinear", "bicubic", "trilinear", "area"};
  return kModes[int(mode)];
}

std::string Upsample::description() const {
  const UpsampleOptions& o = options_;
  Description d("Upsample");
  if (!o.size.empty()) d.with("size", o.size.size() == 1 ? Description::text(o.size[0]) : Description::text(o.size));
  if (!o.scale_factor.empty())
    d.with("scale_factor",
           o.scale_factor.size() == 1
               ? Description::text(o.scale_factor[0])
               : Description::list(o.scale_factor.data(), o.scale_factor.data() + o.scale_factor.size()));
  return d.with("mode", text(o.mode))
      .with("align_corners", o.align_corners, std::nullopt)
      .with("recompute_scale_factor", o.recompute_scale_factor, false);
}

Tensor ChannelShuffle::forward(const Tensor& input) {
  const char* const op = "ChannelShuffle";
  detail::expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, op, "takes inputs [..., C, H, W], not {}", input.sizes());
  ORDO_CHECK(groups_ > 0 && input.size(-3) % groups_ == 0, ShapeError, op,
             "{} groups must divide the {} channels of the input", groups_, input.size(-3));
  const Tensor split = input.unflatten(-3, {groups_, input.size(-3) / groups_});
  return split.transpose(-3, -4).flatten(-4, -3);
}

}  // namespace ordo::nn
