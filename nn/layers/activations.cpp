#include <ordo/nn/layers/activations.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/math/activations.h>
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

ReLU::ReLU() : Layer(relu, "ReLU") {}
ReLU6::ReLU6() : Layer(relu6, "ReLU6") {}
Sigmoid::Sigmoid() : Layer(sigmoid, "Sigmoid") {}
Tanh::Tanh() : Layer(tanh, "Tanh") {}
SiLU::SiLU() : Layer(silu, "SiLU") {}
Mish::Mish() : Layer(mish, "Mish") {}
SELU::SELU() : Layer(selu, "SELU") {}
LogSigmoid::LogSigmoid() : Layer(logsigmoid, "LogSigmoid") {}
Hardsigmoid::Hardsigmoid() : Layer(hardsigmoid, "Hardsigmoid") {}
Hardswish::Hardswish() : Layer(hardswish, "Hardswish") {}
Softsign::Softsign() : Layer([](const Tensor& x) { return x / (abs(x) + 1); }, "Softsign") {}
Tanhshrink::Tanhshrink() : Layer([](const Tensor& x) { return x - tanh(x); }, "Tanhshrink") {}
Softmax2d::Softmax2d() : Layer(channel_softmax, "Softmax2d") {}

GELU::GELU(GELUOptions o)
    : Layer([=](const Tensor& x) { return gelu(x, o.approximate); },
            Description("GELU").with_options(o, "approximate")) {}
LeakyReLU::LeakyReLU(double slope)
    : Layer([=](const Tensor& x) { return leaky_relu(x, slope); }, Description("LeakyReLU", slope)) {}
ELU::ELU(double alpha) : Layer([=](const Tensor& x) { return elu(x, alpha); }, Description("ELU", alpha)) {}
CELU::CELU(double alpha) : Layer([=](const Tensor& x) { return celu(x, alpha); }, Description("CELU", alpha)) {}
Softplus::Softplus(double beta, double threshold)
    : Layer([=](const Tensor& x) { return softplus(x, beta, threshold); },
            Description("Softplus").with("beta", beta, 1).with("threshold", threshold, 20)) {}
Hardtanh::Hardtanh(double low, double high)
    : Layer([=](const Tensor& x) { return hardtanh(x, low, high); }, Description("Hardtanh", low, high)) {}
Hardshrink::Hardshrink(double lambd)
    : Layer([=](const Tensor& x) { return hardshrink(x, lambd); }, Description("Hardshrink", lambd)) {}
Softshrink::Softshrink(double lambd)
    : Layer([=](const Tensor& x) { return softshrink(x, lambd); }, Description("Softshrink", lambd)) {}
Threshold::Threshold(double threshold, double value)
    : Layer([=](const Tensor& x) { return where(x > threshold, x, value); },
            Description("Threshold", threshold, value)) {}
Softmin::Softmin(int64_t dim)
    : Layer([=](const Tensor& x) { return softmax(neg(x), dim); }, Description("Softmin", dim)) {}
Softmax::Softmax(int64_t dim) : Layer([=](const Tensor& x) { return softmax(x, dim); }, Description("Softmax", dim)) {}
LogSoftmax::LogSoftmax(int64_t dim)
    : Layer([=](const Tensor& x) { return log_softmax(x, dim); }, Description("LogSoftmax", dim)) {}
GLU::GLU(int64_t dim) : Layer([=](const Tensor& x) { return glu(x, dim); }, Description("GLU", dim)) {}

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
  detail::expect_defined("RReLU", input, "input");
  detail::expect_floating("RReLU", input);
  const Tensor slopes = no_grad([&] { return uniform_(empty(input.sizes(), input.options()), lower_, upper_); });
  return where(input > 0, input, input * slopes);
}
std::string RReLU::description() const { return Description("RReLU", lower_, upper_); }

}  // namespace nn

}  // namespace ordo
