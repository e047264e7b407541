#include <ordo/nn/layers/linear.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/linalg/matmul.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/engine/calls/check.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>
#include <ordo/nn/layers/lora.h>

namespace ordo::nn {

static constexpr const char* kLoRA = "lora";

Linear::Linear(int64_t in_features, int64_t out_features, LinearOptions options) : transposed_(options.transposed) {
  ORDO_CHECK(in_features >= 0 && out_features >= 0, ValueError, "Linear",
             "needs in_features and out_features of at least 0, not {} and {}", in_features, out_features);
  weight =
      add_parameter("weight", zeros(transposed_ ? Dims{in_features, out_features} : Dims{out_features, in_features}));
  if (options.bias) bias = add_parameter("bias", zeros({out_features}));
  reset_parameters();
}

Tensor Linear::forward(const Tensor& input) {
  const Tensor y = transposed_ ? linear(input, weight.t(), bias) : linear(input, weight, bias);
  LoRA* const part = lora();
  return part ? y + (*part)(input) : y;
}

LoRA* Linear::lora() const { return children().empty() ? nullptr : dynamic_cast<LoRA*>(find_child(kLoRA)); }

void Linear::reset_parameters() {
  NoGrad guard;
  init::kaiming_uniform_(transposed_ ? weight.t() : Tensor(weight), {.negative_slope = std::sqrt(5.0)});
  if (!bias.defined()) return;
  const double bound = in_features() > 0 ? 1 / std::sqrt(double(in_features())) : 0;
  init::uniform_(bias, -bound, bound);
}

std::string Linear::description() const {
  return Description("Linear", in_features(), out_features())
      .with("bias", bias.defined(), true)
      .with("transposed", transposed_, false);
}

void Linear::add_lora(LoRA part) {
  part.to(weight.dtype());
  part.to(weight.device());
  part.train(is_training());
  add(kLoRA, part);
}

void Linear::merge_lora() {
  if (!has_lora()) return;
  NoGrad guard;
  const Tensor part = lora()->weight();
  weight.add_(transposed_ ? part.t() : part);
  remove_child(kLoRA);
}

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, BilinearOptions options) {
  ORDO_CHECK(in1_features > 0 && in2_features > 0 && out_features > 0, ValueError, "Bilinear",
             "needs positive sizes, not {}, {} and {}", in1_features, in2_features, out_features);
  weight = add_parameter("weight", zeros({out_features, in1_features, in2_features}));
  if (options.bias) bias = add_parameter("bias", zeros({out_features}));
  reset_parameters();
}

Tensor Bilinear::forward(const Tensor& x1, const Tensor& x2) { return bilinear(x1, x2, weight, bias); }

std::string Bilinear::description() const {
  return Description("Bilinear", weight.size(1), weight.size(2), weight.size(0)).with("bias", bias.defined(), true);
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(double(weight.size(1)));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

}  // namespace ordo::nn
