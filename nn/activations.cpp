#include <ordo/nn/activations.h>

#include <ordo/autograd/ops/unary.h>
#include <ordo/engine/check.h>

namespace ordo::nn {

Tensor ReLU::forward(const Tensor& input) { return relu(input); }
Tensor Sigmoid::forward(const Tensor& input) { return sigmoid(input); }
Tensor Tanh::forward(const Tensor& input) { return tanh(input); }

GELU::GELU(GELUOptions options) : options_(std::move(options)) {
  ORDO_CHECK(options_.approximate == "none" || options_.approximate == "tanh", ValueError, "GELU",
             "approximate is \"none\" or \"tanh\", not \"{}\"", options_.approximate);
}
Tensor GELU::forward(const Tensor& input) { return gelu(input, options_.approximate); }

}  // namespace ordo::nn
