#include <ordo/nn/normalization.h>

#include <ordo/engine/check.h>

namespace ordo::nn {

LayerNorm::LayerNorm(Dims normalized_shape, LayerNormOptions options) : shape_(normalized_shape), eps_(options.eps) {
  if (!options.elementwise_affine) return;
  weight = add_parameter("weight", ones(shape_));
  if (options.bias) bias = add_parameter("bias", zeros(shape_));
}
Tensor LayerNorm::forward(const Tensor& input) { return layer_norm(input, shape_, weight, bias, eps_); }
std::string LayerNorm::description() const {
  return Description("LayerNorm", shape_)
      .with("eps", eps_, 1e-5)
      .with("elementwise_affine", weight.defined(), true)
      .with("bias", bias.defined(), weight.defined());
}

RMSNorm::RMSNorm(Dims normalized_shape, RMSNormOptions options) : shape_(normalized_shape), eps_(options.eps) {
  if (options.elementwise_affine) weight = add_parameter("weight", ones(shape_));
}
Tensor RMSNorm::forward(const Tensor& input) { return rms_norm(input, shape_, weight, eps_); }
std::string RMSNorm::description() const {
  return Description("RMSNorm", shape_)
      .with("eps", eps_, std::nullopt)
      .with("elementwise_affine", weight.defined(), true);
}

GroupNorm::GroupNorm(int64_t num_groups, int64_t channels, GroupNormOptions options)
    : groups_(num_groups), channels_(channels), eps_(options.eps) {
  ORDO_CHECK(num_groups > 0 && channels > 0 && channels % num_groups == 0, ValueError, "GroupNorm",
             "num_groups = {} must be positive and divide the {} channels", num_groups, channels);
  if (!options.affine) return;
  weight = add_parameter("weight", ones({channels}));
  bias = add_parameter("bias", zeros({channels}));
}
Tensor GroupNorm::forward(const Tensor& input) { return group_norm(input, groups_, weight, bias, eps_); }
std::string GroupNorm::description() const {
  return Description("GroupNorm", groups_, channels_).with("eps", eps_, 1e-5).with("affine", weight.defined(), true);
}

}  // namespace ordo::nn
