// PyTorch's optimisers. Formulas are those of a parameter p with gradient g, in its step t = 1, 2, ... Every element
// has a fixed order: the same bits at all determinism levels.
#pragma once

#include <vector>

#include <ordo/nn/optim/optimizer.h>

namespace ordo::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;  ///< needs momentum > 0 and dampening == 0
  bool maximize = false;  ///< steps up the gradient, as the other optimisers' option of this name
};

/// Stochastic gradient descent:
///   g = g + weight_decay p
///   b = momentum b + (1 - dampening) g        (b = g in the first step; only with momentum)
///   g = nesterov ? g + momentum b : b         (only with momentum)
///   p = p - lr g
///
/// Throws: as Optimizer; ValueError when lr, momentum or weight_decay is negative, or nesterov has no momentum or a
/// dampening.
/// PyTorch: torch.optim.SGD.
class SGD : public OptimizerOf<SGDOptions, Tensor> {
 public:
  explicit SGD(TensorList parameters, SGDOptions options = {}) : SGD(Groups{{std::move(parameters), options}}) {}
  explicit SGD(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

/// How much of the old averages a step keeps: beta1 of the gradient, beta2 of its square.
struct AdamBetas {
  double first = 0.9, second = 0.999;
};

struct AdamOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
  bool amsgrad = false;
  bool maximize = false;
};

/// Of a parameter.
struct AdamState {
  Tensor first, second;           ///< moments; undefined until its first step
  Tensor largest;                 ///< second moment of all steps; only with amsgrad
  double power1 = 1, power2 = 1;  ///< beta^t
};

/// Steps by averages of the gradient and of its square:
///   g = g + weight_decay p
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
///   w = max(w, v)                             (only with amsgrad; else w = v)
///   p = p - lr / (1 - beta1^t) m / (sqrt(w) / sqrt(1 - beta2^t) + eps)
///
/// Throws: as Optimizer; ValueError when a beta is outside of [0, 1), or another option is negative.
/// PyTorch: torch.optim.Adam.
/// Source: Kingma, Ba, "Adam: a method for stochastic optimization", 2015; amsgrad: Reddi, Kale, Kumar, "On the
/// convergence of Adam and beyond", 2018.
class Adam : public OptimizerOf<AdamOptions, AdamState> {
 public:
  explicit Adam(TensorList parameters, AdamOptions options = {}) : Adam(Groups{{std::move(parameters), options}}) {}
  explicit Adam(const Groups& groups) : Adam("Adam", groups, false) {}

 protected:
  Adam(const char* name, const Groups& groups, bool decoupled);
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;

 private:
  const char* name_;
  bool decoupled_;
};

struct AdamWOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 1e-2;
  bool amsgrad = false;
  bool maximize = false;
};

/// As Adam, with p = p - lr weight_decay p in place of the first line.
///
/// Throws: as Adam.
/// PyTorch: torch.optim.AdamW.
/// Source: Loshchilov, Hutter, "Decoupled weight decay regularization", 2019.
struct AdamW : Adam {
  using Groups = std::vector<ParameterGroup<AdamWOptions>>;  ///< with its own options
  explicit AdamW(TensorList parameters, AdamWOptions options = {}) : AdamW(Groups{{std::move(parameters), options}}) {}
  explicit AdamW(const Groups& groups);
  void add_param_group(const ParameterGroup<AdamWOptions>& group);
  void set_options(const AdamWOptions& options, int64_t group = 0);
  AdamWOptions options(int64_t group = 0) const;
};

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
  bool maximize = false;
};

/// Of a parameter; undefined until its first step.
struct RMSpropState {
  Tensor square, momentum, mean;
};

/// Steps by the gradient over the root of an average of its square:
///   g = g + weight_decay p
///   v = alpha v + (1 - alpha) g^2
///   m = alpha m + (1 - alpha) g                               (only if centered)
///   d = g / (sqrt(centered ? max(v - m^2, 0) : v) + eps)      (PyTorch lets rounding make the difference negative)
///   b = momentum b + d,   d = b                               (only with momentum)
///   p = p - lr d
///
/// Throws: as Optimizer; ValueError when alpha is outside of [0, 1), or another option is negative.
/// PyTorch: torch.optim.RMSprop.
/// Source: Tieleman, Hinton, "Lecture 6.5: rmsprop", 2012; the centred form: Graves, "Generating sequences with
/// recurrent neural networks", 2013.
class RMSprop : public OptimizerOf<RMSpropOptions, RMSpropState> {
 public:
  explicit RMSprop(TensorList parameters, RMSpropOptions options = {})
      : RMSprop(Groups{{std::move(parameters), options}}) {}
  explicit RMSprop(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
};

/// Of a parameter.
struct AdagradState {
  Tensor sum;        ///< undefined until its first step
  double steps = 0;  ///< that it has made
};

/// Steps by the gradient over the root of the sum of its squares:
///   g = g + weight_decay p
///   s = s + g^2                                               (initial_accumulator_value at first)
///   p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)
///
/// Throws: as Optimizer; ValueError when an option is negative.
/// PyTorch: torch.optim.Adagrad.
/// Source: Duchi, Hazan, Singer, "Adaptive subgradient methods for online learning and stochastic optimization", 2011.
class Adagrad : public OptimizerOf<AdagradOptions, AdagradState> {
 public:
  explicit Adagrad(TensorList parameters, AdagradOptions options = {})
      : Adagrad(Groups{{std::move(parameters), options}}) {}
  explicit Adagrad(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
  std::vector<Memory> remembered(size_t parameter) override;
};

}  // namespace ordo::optim
