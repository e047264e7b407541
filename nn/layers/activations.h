// Activations as modules.
//
//   nn::Sequential model{nn::Linear(10, 10), nn::ReLU()};
#pragma once

#include <string>
#include <string_view>

#include <ordo/autograd/ops/math/activations.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/nn/layers/layer.h>

namespace ordo::detail {

Tensor softsign(const Tensor& x);
Tensor tanhshrink(const Tensor& x);
Tensor threshold(const Tensor& x, double threshold, double value);
Tensor softmin(const Tensor& x, int64_t dim);
Tensor softmax(const Tensor& x, int64_t dim);
Tensor log_softmax(const Tensor& x, int64_t dim);
Tensor softmax2d(const Tensor& x);

}  // namespace ordo::detail

namespace ordo {

/// "none" or "tanh", as GELU prints it.
constexpr std::string_view name(GELUApproximate approximate) {
  return approximate == GELUApproximate::none ? "none" : "tanh";
}

}  // namespace ordo

namespace ordo::nn {

/// `function` of the input and of these numbers, which follow the class's name when it is printed.
template <auto function, class... Numbers>
using Activation = Layer<function, NoOptions, Numbers...>;

/// The functions of these names, element by element: relu, relu6, sigmoid, tanh, silu, mish, selu, logsigmoid,
/// hardsigmoid, hardswish.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.ReLU and so on.
class ReLU : public Activation<relu> {};
class ReLU6 : public Activation<relu6> {};
class Sigmoid : public Activation<sigmoid> {};
class Tanh : public Activation<tanh> {};
class SiLU : public Activation<silu> {};
class Mish : public Activation<mish> {};
class SELU : public Activation<selu> {};
class LogSigmoid : public Activation<logsigmoid> {};
class Hardsigmoid : public Activation<hardsigmoid> {};
class Hardswish : public Activation<hardswish> {};

struct GELUOptions {
  GELUApproximate approximate = GELUApproximate::none;
};

/// gelu, element by element.
///
/// Throws: forward as gelu.
/// PyTorch: torch.nn.GELU.
class GELU : public Layer<gelu, GELUOptions> {
 public:
  explicit GELU(GELUOptions options = {}) : Layer(options) {}
  std::string description() const override { return describe("GELU", "approximate"); }
};

/// The functions of these names and of a number or two, element by element: leaky_relu, elu, celu, softplus, hardtanh,
/// hardshrink, softshrink.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.LeakyReLU and so on.
class LeakyReLU : public Activation<leaky_relu, double> {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : Layer(negative_slope) {}
};
class ELU : public Activation<elu, double> {
 public:
  explicit ELU(double alpha = 1) : Layer(alpha) {}
};
class CELU : public Activation<celu, double> {
 public:
  explicit CELU(double alpha = 1) : Layer(alpha) {}
};
class Softplus : public Activation<softplus, double, double> {
 public:
  explicit Softplus(double beta = 1, double threshold = 20) : Layer(beta, threshold) {}
  std::string description() const override;
};
class Hardtanh : public Activation<hardtanh, double, double> {
 public:
  explicit Hardtanh(double min_val = -1, double max_val = 1) : Layer(min_val, max_val) {}
};
class Hardshrink : public Activation<hardshrink, double> {
 public:
  explicit Hardshrink(double lambd = 0.5) : Layer(lambd) {}
};
class Softshrink : public Activation<softshrink, double> {
 public:
  explicit Softshrink(double lambd = 0.5) : Layer(lambd) {}
};

/// prelu: x where x > 0, else weight x.
///
/// Shapes: any; with several slopes, dimension 1 has as many.
/// Parameters: "weight" [num_parameters], which starts as `init`.
/// Throws: ValueError when num_parameters is below 1; forward as prelu.
/// PyTorch: torch.nn.PReLU.
class PReLU : public Module {
 public:
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25);
  Tensor forward(const Tensor& input) override { return prelu(input, weight); }
  std::string description() const override { return Description("PReLU", weight.numel()); }

  Parameter weight;
};

/// x / (1 + |x|), and x - tanh(x).
///
/// Throws: as the operations they are made of.
/// PyTorch: torch.nn.Softsign, torch.nn.Tanhshrink.
class Softsign : public Activation<detail::softsign> {};
class Tanhshrink : public Activation<detail::tanhshrink> {};

/// x where x > threshold, else value.
///
/// PyTorch: torch.nn.Threshold.
class Threshold : public Activation<detail::threshold, double, double> {
 public:
  Threshold(double threshold, double value) : Layer(threshold, value) {}
};

/// leaky_relu whose slope, while training, is drawn for each element from U(lower, upper), by default_generator(). In
/// evaluation mode the slope is their mean.
///
/// Dtypes: floating.
/// Throws: ValueError when lower > upper; DTypeError for other dtypes.
/// PyTorch: torch.nn.RReLU.
class RReLU : public Module {
 public:
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3);
  Tensor forward(const Tensor& input) override;
  std::string description() const override { return Description("RReLU", lower_, upper_); }

 private:
  double lower_, upper_;
};

/// softmax over the channels.
///
/// Shapes: [N, C, H, W] or [C, H, W].
/// Throws: ShapeError for other inputs; else as softmax.
/// PyTorch: torch.nn.Softmax2d.
class Softmax2d : public Activation<detail::softmax2d> {};

/// The functions of these names along `dim`: softmin is softmax of -x, and GLU halves the dimension.
///
/// Shapes, Dtypes, Throws: as softmax, log_softmax and glu.
/// PyTorch: torch.nn.Softmin and so on.
class Softmin : public Activation<detail::softmin, int64_t> {
 public:
  explicit Softmin(int64_t dim) : Layer(dim) {}
};
class Softmax : public Activation<detail::softmax, int64_t> {
 public:
  explicit Softmax(int64_t dim) : Layer(dim) {}
};
class LogSoftmax : public Activation<detail::log_softmax, int64_t> {
 public:
  explicit LogSoftmax(int64_t dim) : Layer(dim) {}
};
class GLU : public Activation<glu, int64_t> {
 public:
  explicit GLU(int64_t dim = -1) : Layer(dim) {}
};

}  // namespace ordo::nn
