#include <ordo/nn/layers/activations.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/create/random.h>
#include <ordo/autograd/ops/math/activations.h>
#include <ordo/autograd/ops/math/arithmetic.h>
#include <ordo/autograd/ops/math/comparison.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo {

namespace detail {

Tensor softsign(const Tensor& x) { return x / (abs(x) + 1); }
Tensor tanhshrink(const Tensor& x) { return x - tanh(x); }
Tensor threshold(const Tensor& x, double threshold, double value) { return where(x > threshold, x, value); }
Tensor softmin(const Tensor& x, int64_t dim) { return ordo::softmax(neg(x), dim); }
Tensor softmax(const Tensor& x, int64_t dim) { return ordo::softmax(x, dim); }
Tensor log_softmax(const Tensor& x, int64_t dim) { return ordo::log_softmax(x, dim); }

Tensor softmax2d(const Tensor& x) {
  expect_defined("Softmax2d", x, "input");
  ORDO_CHECK(x.dim() == 3 || x.dim() == 4, ShapeError, "Softmax2d", "takes inputs [N, C, H, W] or [C, H, W], not {}",
             x.sizes());
  return ordo::softmax(x, -3);
}

}  // namespace detail

namespace nn {

std::string Softplus::description() const {
  const auto& [beta, threshold] = values_;
  return Description("Softplus").with("beta", beta, 1).with("threshold", threshold, 20);
}

PReLU::PReLU(int64_t num_parameters, double init) {
  ORDO_CHECK(num_parameters > 0, ValueError, "PReLU", "needs a slope or more, not {}", num_parameters);
  weight = add_parameter("weight", full({num_parameters}, init));
}

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

}  // namespace nn

}  // namespace ordo
