#include <ordo/nn/layers/activations.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/description.h>

namespace ordo {

/// "none" or "tanh", as GELU prints it.
static constexpr std::string_view name(GELUApproximate approximate) {
  return approximate == GELUApproximate::none ? "none" : "tanh";
}

namespace nn {

static Tensor channel_softmax(const Tensor& x) {
  detail::expect_defined("Softmax2d", x, "input");
  ORDO_CHECK(x.dim() == 3 || x.dim() == 4, ShapeError, "Softmax2d", "takes inputs [N, C, H, W] or [C, H, W], not {}",
             x.sizes());
  return softmax(x, -3);
}

ReLU::ReLU() : Layer({.function = relu, .description = "ReLU"}) {}
ReLU6::ReLU6() : Layer({.function = relu6, .description = "ReLU6"}) {}
Sigmoid::Sigmoid() : Layer({.function = sigmoid, .description = "Sigmoid"}) {}
Tanh::Tanh() : Layer({.function = tanh, .description = "Tanh"}) {}
SiLU::SiLU() : Layer({.function = silu, .description = "SiLU"}) {}
Mish::Mish() : Layer({.function = mish, .description = "Mish"}) {}
SELU::SELU() : Layer({.function = selu, .description = "SELU"}) {}
LogSigmoid::LogSigmoid() : Layer({.function = logsigmoid, .description = "LogSigmoid"}) {}
Hardsigmoid::Hardsigmoid() : Layer({.function = hardsigmoid, .description = "Hardsigmoid"}) {}
Hardswish::Hardswish() : Layer({.function = hardswish, .description = "Hardswish"}) {}
Softsign::Softsign()
    : Layer({.function = [](const Tensor& x) { return x / (abs(x) + 1); }, .description = "Softsign"}) {}
Tanhshrink::Tanhshrink()
    : Layer({.function = [](const Tensor& x) { return x - tanh(x); }, .description = "Tanhshrink"}) {}
Softmax2d::Softmax2d() : Layer({.function = channel_softmax, .description = "Softmax2d"}) {}

GELU::GELU(GELUOptions o)
    : Layer({.function = [=](const Tensor& x) { return gelu(x, o.approximate); },
             .description = Description("GELU").with_options(o, "approximate")}) {}
LeakyReLU::LeakyReLU(double slope)
    : Layer({.function = [=](const Tensor& x) { return leaky_relu(x, slope); },
             .description = Description("LeakyReLU", slope)}) {}
ELU::ELU(double alpha)
    : Layer({.function = [=](const Tensor& x) { return elu(x, alpha); }, .description = Description("ELU", alpha)}) {}
CELU::CELU(double alpha)
    : Layer({.function = [=](const Tensor& x) { return celu(x, alpha); }, .description = Description("CELU", alpha)}) {}
Softplus::Softplus(double beta, double threshold)
    : Layer({.function = [=](const Tensor& x) { return softplus(x, beta, threshold); },
             .description = Description("Softplus").with("beta", beta, 1).with("threshold", threshold, 20)}) {}
Hardtanh::Hardtanh(double low, double high)
    : Layer({.function = [=](const Tensor& x) { return hardtanh(x, low, high); },
             .description = Description("Hardtanh", low, high)}) {}
Hardshrink::Hardshrink(double lambd)
    : Layer({.function = [=](const Tensor& x) { return hardshrink(x, lambd); },
             .description = Description("Hardshrink", lambd)}) {}
Softshrink::Softshrink(double lambd)
    : Layer({.function = [=](const Tensor& x) { return softshrink(x, lambd); },
             .description = Description("Softshrink", lambd)}) {}
Threshold::Threshold(double threshold, double value)
    : Layer({.function = [=](const Tensor& x) { return where(x > threshold, x, value); },
             .description = Description("Threshold", threshold, value)}) {}
Softmin::Softmin(int64_t dim)
    : Layer({.function = [=](const Tensor& x) { return softmax(neg(x), dim); },
             .description = Description("Softmin", dim)}) {}
Softmax::Softmax(int64_t dim)
    : Layer(
          {.function = [=](const Tensor& x) { return softmax(x, dim); }, .description = Description("Softmax", dim)}) {}
LogSoftmax::LogSoftmax(int64_t dim)
    : Layer({.function = [=](const Tensor& x) { return log_softmax(x, dim); },
             .description = Description("LogSoftmax", dim)}) {}
GLU::GLU(int64_t dim)
    : Layer({.function = [=](const Tensor& x) { return glu(x, dim); }, .description = Description("GLU", dim)}) {}

PReLU::PReLU(int64_t num_parameters, double init) {
  ORDO_CHECK(num_parameters > 0, ValueError, "PReLU", "needs a slope or more, not {}", num_parameters);
  weight = add_parameter("weight", full({num_parameters}, init));
}

std::string PReLU::description() const { return Description("PReLU", weight.numel()); }

RReLU::RReLU(double lower, double upper) : lower_(lower), upper_(upper) {
  ORDO_CHECK(lower <= upper, ValueError, "RReLU", "lower = {} must be at most upper = {}", lower, upper);
}
Tensor RReLU::forward(const Tensor& input) {
  if (!is_training()) return leaky_relu(input, (lower_ + upper_) / 2);
  detail::expect_floating("RReLU", input, "input");
  const Tensor slopes = no_grad([&] { return uniform_(empty(input.sizes(), input.options()), lower_, upper_); });
  return where(input > 0, input, input * slopes);
}
std::string RReLU::description() const { return Description("RReLU", lower_, upper_); }

}  // namespace nn

}  // namespace ordo
