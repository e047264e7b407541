// Activations as modules. Element by element, each computing what the function of its name does:
//   ReLU, ReLU6, Sigmoid, Tanh, SiLU, Mish, SELU, LogSigmoid, Hardsigmoid, Hardswish; with numbers: GELU, LeakyReLU,
//   ELU, CELU, Softplus, Hardtanh, Hardshrink, Softshrink; PReLU, whose slope "weight" is trained.
// Made of others: Softsign x / (1 + |x|), Tanhshrink x - tanh(x), Threshold, RReLU.
// Along a dimension: Softmax, Softmin (of -x), LogSoftmax, and GLU, which halves it; Softmax2d over the channels of
// [N, C, H, W] or [C, H, W].
//
//   nn::Sequential model{nn::Linear(10, 10), nn::ReLU()};
#pragma once

#include <string>

#include <ordo/nn/module.h>

namespace ordo::nn {

class ReLU : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class ReLU6 : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Sigmoid : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Tanh : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class SiLU : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Mish : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class SELU : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class LogSigmoid : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Hardsigmoid : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Hardswish : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

struct GELUOptions {
  std::string approximate = "none";  ///< or "tanh"
};

class GELU : public Module {
 public:
  explicit GELU(GELUOptions options = {});
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  GELUOptions options_;
};

class LeakyReLU : public Module {
 public:
  explicit LeakyReLU(double negative_slope = 0.01) : negative_slope_(negative_slope) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double negative_slope_;
};

class ELU : public Module {
 public:
  explicit ELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double alpha_;
};

class CELU : public Module {
 public:
  explicit CELU(double alpha = 1) : alpha_(alpha) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double alpha_;
};

class Softplus : public Module {
 public:
  explicit Softplus(double beta = 1, double threshold = 20) : beta_(beta), threshold_(threshold) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double beta_, threshold_;
};

class Hardtanh : public Module {
 public:
  explicit Hardtanh(double min_val = -1, double max_val = 1) : min_val_(min_val), max_val_(max_val) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double min_val_, max_val_;
};

class Hardshrink : public Module {
 public:
  explicit Hardshrink(double lambd = 0.5) : lambd_(lambd) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double lambd_;
};

class Softshrink : public Module {
 public:
  explicit Softshrink(double lambd = 0.5) : lambd_(lambd) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double lambd_;
};

class PReLU : public Module {
 public:
  /// One slope, or one for each channel. ValueError for fewer.
  explicit PReLU(int64_t num_parameters = 1, double init = 0.25);
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

  Parameter weight;
};

class Softsign : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

class Tanhshrink : public Module {
 public:
  Tensor forward(const Tensor& input) override;
};

/// x where x > threshold, else value.
class Threshold : public Module {
 public:
  Threshold(double threshold, double value) : threshold_(threshold), value_(value) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double threshold_, value_;
};

/// leaky_relu whose slope, while training, is drawn for each element from U(lower, upper); in evaluation mode it is
/// their mean. Draws from default_generator(). ValueError unless lower <= upper.
class RReLU : public Module {
 public:
  explicit RReLU(double lower = 1.0 / 8, double upper = 1.0 / 3);
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  double lower_, upper_;
};

class Softmax2d : public Module {
 public:
  /// ShapeError unless there are three or four dimensions.
  Tensor forward(const Tensor& input) override;
};

class Softmin : public Module {
 public:
  explicit Softmin(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  int64_t dim_;
};

class Softmax : public Module {
 public:
  explicit Softmax(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  int64_t dim_;
};

class LogSoftmax : public Module {
 public:
  explicit LogSoftmax(int64_t dim) : dim_(dim) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  int64_t dim_;
};

class GLU : public Module {
 public:
  explicit GLU(int64_t dim = -1) : dim_(dim) {}
  Tensor forward(const Tensor& input) override;
  std::string description() const override;

 private:
  int64_t dim_;
};

}  // namespace ordo::nn
