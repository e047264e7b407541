// Activations as modules.
//
//   nn::Sequential model{nn::Linear(10, 10), nn::ReLU()};
#pragma once

#include <string>

#include <ordo/autograd/ops/math/activations.h>
#include <ordo/autograd/ops/math/unary.h>
#include <ordo/nn/layers/layer.h>

namespace ordo::nn {

/// The functions of these names, element by element: relu, relu6, sigmoid, tanh, silu, mish, selu, logsigmoid,
/// hardsigmoid, hardswish.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.ReLU and so on.
struct ReLU : Layer {
  ReLU();
};
struct ReLU6 : Layer {
  ReLU6();
};
struct Sigmoid : Layer {
  Sigmoid();
};
struct Tanh : Layer {
  Tanh();
};
struct SiLU : Layer {
  SiLU();
};
struct Mish : Layer {
  Mish();
};
struct SELU : Layer {
  SELU();
};
struct LogSigmoid : Layer {
  LogSigmoid();
};
struct Hardsigmoid : Layer {
  Hardsigmoid();
};
struct Hardswish : Layer {
  Hardswish();
};

struct GELUOptions {
  GELUApproximate approximate = GELUApproximate::none;
};

/// gelu, element by element.
///
/// Throws: forward as gelu.
/// PyTorch: torch.nn.GELU.
struct GELU : Layer {
  explicit GELU(GELUOptions options = {});
};

/// The functions of these names and of a number or two, element by element: leaky_relu, elu, celu, softplus, hardtanh,
/// hardshrink, softshrink.
///
/// Shapes, Dtypes, Throws: as the function.
/// PyTorch: torch.nn.LeakyReLU and so on.
struct LeakyReLU : Layer {
  explicit LeakyReLU(double negative_slope = 0.01);
};
struct ELU : Layer {
  explicit ELU(double alpha = 1);
};
struct CELU : Layer {
  explicit CELU(double alpha = 1);
};
struct Softplus : Layer {
  explicit Softplus(double beta = 1, double threshold = 20);
};
struct Hardtanh : Layer {
  explicit Hardtanh(double min_val = -1, double max_val = 1);
};
struct Hardshrink : Layer {
  explicit Hardshrink(double lambd = 0.5);
};
struct Softshrink : Layer {
  explicit Softshrink(double lambd = 0.5);
};

/// prelu: x where x > 0, else weight x.
///
/// Shapes: any; with several slopes, dimension 1 has as many.
/// Parameters: "weight" [num_parameters], which starts as `init`.
/// Throws: ValueError when num_parameters is below 1; forward as prelu.
/// PyTorch: torch.nn.PReLU.
struct PReLU : Module {
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25);
  Tensor forward(const Tensor& input) override { return prelu(input, weight); }
  std::string description() const override;

  Parameter weight;
};

/// x / (1 + |x|), and x - tanh(x).
///
/// Throws: as the operations they are made of.
/// PyTorch: torch.nn.Softsign, torch.nn.Tanhshrink.
struct Softsign : Layer {
  Softsign();
};
struct Tanhshrink : Layer {
  Tanhshrink();
};

/// x where x > threshold, else value.
///
/// PyTorch: torch.nn.Threshold.
struct Threshold : Layer {
  Threshold(double threshold, double value);
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
  std::string description() const override;

 private:
  double lower_, upper_;
};

/// softmax over the channels.
///
/// Shapes: [N, C, H, W] or [C, H, W].
/// Throws: ShapeError for other inputs; else as softmax.
/// PyTorch: torch.nn.Softmax2d.
struct Softmax2d : Layer {
  Softmax2d();
};

/// The functions of these names along `dim`: softmin is softmax of -x, and GLU halves the dimension.
///
/// Shapes, Dtypes, Throws: as softmax, log_softmax and glu.
/// PyTorch: torch.nn.Softmin and so on.
struct Softmin : Layer {
  explicit Softmin(int64_t dim);
};
struct Softmax : Layer {
  explicit Softmax(int64_t dim);
};
struct LogSoftmax : Layer {
  explicit LogSoftmax(int64_t dim);
};
struct GLU : Layer {
  explicit GLU(int64_t dim = -1);
};

}  // namespace ordo::nn
