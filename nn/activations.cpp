#include <ordo/nn/activations.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/activations.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/random.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo::nn {

Tensor ReLU::forward(const Tensor& input) { return relu(input); }
Tensor ReLU6::forward(const Tensor& input) { return relu6(input); }
Tensor Sigmoid::forward(const Tensor& input) { return sigmoid(input); }
Tensor Tanh::forward(const Tensor& input) { return tanh(input); }
Tensor SiLU::forward(const Tensor& input) { return silu(input); }
Tensor Mish::forward(const Tensor& input) { return mish(input); }
Tensor SELU::forward(const Tensor& input) { return selu(input); }
Tensor LogSigmoid::forward(const Tensor& input) { return logsigmoid(input); }
Tensor Hardsigmoid::forward(const Tensor& input) { return hardsigmoid(input); }
Tensor Hardswish::forward(const Tensor& input) { return hardswish(input); }

GELU::GELU(GELUOptions options) : options_(std::move(options)) {
  ORDO_CHECK(options_.approximate == "none" || options_.approximate == "tanh", ValueError, "GELU",
             "approximate is \"none\" or \"tanh\", not \"{}\"", options_.approximate);
}
Tensor GELU::forward(const Tensor& input) { return gelu(input, options_.approximate); }

Tensor LeakyReLU::forward(const Tensor& input) { return leaky_relu(input, negative_slope_); }
Tensor ELU::forward(const Tensor& input) { return elu(input, alpha_); }
Tensor CELU::forward(const Tensor& input) { return celu(input, alpha_); }
Tensor Softplus::forward(const Tensor& input) { return softplus(input, beta_, threshold_); }
Tensor Hardtanh::forward(const Tensor& input) { return hardtanh(input, min_val_, max_val_); }
Tensor Hardshrink::forward(const Tensor& input) { return hardshrink(input, lambd_); }
Tensor Softshrink::forward(const Tensor& input) { return softshrink(input, lambd_); }

PReLU::PReLU(int64_t num_parameters, double init) {
  ORDO_CHECK(num_parameters > 0, ValueError, "PReLU", "needs a slope or more, not {}", num_parameters);
  weight = add_parameter("weight", full({num_parameters}, init));
}
Tensor PReLU::forward(const Tensor& input) { return prelu(input, weight); }

Tensor Softsign::forward(const Tensor& input) { return input / (abs(input) + 1); }
Tensor Tanhshrink::forward(const Tensor& input) { return input - tanh(input); }
Tensor Threshold::forward(const Tensor& input) { return where(input > threshold_, input, value_); }

RReLU::RReLU(double lower, double upper) : lower_(lower), upper_(upper) {
  ORDO_CHECK(lower <= upper, ValueError, "RReLU", "lower = {} must be at most upper = {}", lower, upper);
}
Tensor RReLU::forward(const Tensor& input) {
  if (!is_training()) return leaky_relu(input, (lower_ + upper_) / 2);
  detail::expect_defined("RReLU", input, "input");
  detail::expect_floating("RReLU", input);
  const Tensor slopes = no_grad([&] { return uniform_(empty(input.sizes(), input.options()), lower_, upper_); });
  return where(input > 0, input, input * slopes);
}

Tensor Softmax2d::forward(const Tensor& input) {
  detail::expect_defined("Softmax2d", input, "input");
  ORDO_CHECK(input.dim() == 3 || input.dim() == 4, ShapeError, "Softmax2d",
             "takes inputs [N, C, H, W] or [C, H, W], not {}", input.sizes());
  return softmax(input, -3);
}
Tensor Softmin::forward(const Tensor& input) { return softmax(neg(input), dim_); }
Tensor Softmax::forward(const Tensor& input) { return softmax(input, dim_); }
Tensor LogSoftmax::forward(const Tensor& input) { return log_softmax(input, dim_); }
Tensor GLU::forward(const Tensor& input) { return glu(input, dim_); }

std::string GELU::description() const { return Description("GELU").with("approximate", options_.approximate, "none"); }
std::string LeakyReLU::description() const { return Description("LeakyReLU", negative_slope_); }
std::string ELU::description() const { return Description("ELU", alpha_); }
std::string CELU::description() const { return Description("CELU", alpha_); }
std::string Softplus::description() const {
  return Description("Softplus").with("beta", beta_, 1).with("threshold", threshold_, 20);
}
std::string Hardtanh::description() const { return Description("Hardtanh", min_val_, max_val_); }
std::string Hardshrink::description() const { return Description("Hardshrink", lambd_); }
std::string Softshrink::description() const { return Description("Softshrink", lambd_); }
std::string PReLU::description() const { return Description("PReLU", weight.numel()); }
std::string Threshold::description() const { return Description("Threshold", threshold_, value_); }
std::string RReLU::description() const { return Description("RReLU", lower_, upper_); }
std::string Softmin::description() const { return Description("Softmin", dim_); }
std::string Softmax::description() const { return Description("Softmax", dim_); }
std::string LogSoftmax::description() const { return Description("LogSoftmax", dim_); }
std::string GLU::description() const { return Description("GLU", dim_); }

}  // namespace ordo::nn
