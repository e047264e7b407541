#include <ordo/nn/activations.h>

#include <ordo/autograd/ops/gated_activations.h>
#include <ordo/autograd/ops/softmax.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/engine/check.h>

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

Tensor Softmax::forward(const Tensor& input) { return softmax(input, dim_); }
Tensor LogSoftmax::forward(const Tensor& input) { return log_softmax(input, dim_); }
Tensor GLU::forward(const Tensor& input) { return glu(input, dim_); }

}  // namespace ordo::nn
