// PyTorch's less common optimisers, composed of tensor operations: each makes several passes over memory where those of
// nn/optim/optimizers.h make one. Formulas are those of a parameter p with gradient g, in its step t = 1, 2, ... Half types
// are computed in float32 and rounded where they are stored. Every element has a fixed order: the same bits at all
// determinism levels.
#pragma once

#include <vector>

#include <ordo/nn/optim/optimizers.h>

namespace ordo::optim {

/// Of a parameter. What the tensors and numbers are, the optimiser says.
struct ComposedState {
  Tensor first, second;  ///< undefined until its first step
  double steps = 0, power1 = 1, power2 = 1;
};
/// Its members' names in a state dict; null: the optimiser has no use for it.
struct ComposedNames {
  const char *first, *second, *steps = nullptr, *power1 = nullptr, *power2 = nullptr;
};

/// What the optimisers of this header share.
template <class Options>
class ComposedOptimizer : public OptimizerOf<Options, ComposedState> {
 protected:
  ComposedOptimizer(const char* name, const std::vector<ParameterGroup<Options>>& groups, void (*check)(const Options&),
                    const ComposedNames& names)
      : OptimizerOf<Options, ComposedState>(name, groups, check), names_(names) {}
  std::vector<Optimizer::Memory> remembered(size_t parameter) override {
    ComposedState& s = this->state_[parameter];
    std::vector<Optimizer::Memory> all{{.name = names_.first, .tensor = &s.first},
                                       {.name = names_.second, .tensor = &s.second}};
    if (names_.steps) all.push_back({.name = names_.steps, .number = &s.steps});
    if (names_.power1) all.push_back({.name = names_.power1, .number = &s.power1, .first = 1});
    if (names_.power2) all.push_back({.name = names_.power2, .number = &s.power2, .first = 1});
    return all;
  }

 private:
  const ComposedNames names_;
};

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;
  bool maximize = false;
};

/// Steps by the gradient, in the unit of earlier steps:
///   g = g + weight_decay p
///   v = rho v + (1 - rho) g^2
///   d = sqrt(u + eps) / sqrt(v + eps) g
///   u = rho u + (1 - rho) d^2
///   p = p - lr d
///
/// Throws: as Optimizer; ValueError when rho is outside of [0, 1], or another option is negative.
/// PyTorch: torch.optim.Adadelta.
/// Source: Zeiler, "ADADELTA: an adaptive learning rate method", 2012.
class Adadelta : public ComposedOptimizer<AdadeltaOptions> {
 public:
  explicit Adadelta(TensorList parameters, AdadeltaOptions options = {})
      : Adadelta(Groups{{std::move(parameters), options}}) {}
  explicit Adadelta(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
};

struct AdamaxOptions {
  double lr = 2e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
  bool maximize = false;
};

/// Adam with the largest gradient in place of the average of squares:
///   g = g + weight_decay p
///   m = beta1 m + (1 - beta1) g,   u = max(beta2 u, |g| + eps)
///   p = p - lr / (1 - beta1^t) m / u
///
/// Throws: as Adam.
/// PyTorch: torch.optim.Adamax.
/// Source: Kingma, Ba, "Adam: a method for stochastic optimization", 2015.
class Adamax : public ComposedOptimizer<AdamaxOptions> {
 public:
  explicit Adamax(TensorList parameters, AdamaxOptions options = {})
      : Adamax(Groups{{std::move(parameters), options}}) {}
  explicit Adamax(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
};

struct NAdamOptions {
  double lr = 2e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum_decay = 4e-3;
  bool maximize = false;
};

/// Adam with Nesterov's momentum:
///   g = g + weight_decay p
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2
///   c_t = beta1 (1 - 0.96^(t momentum_decay) / 2),   C_t = c_1 c_2 ... c_t
///   d = c_(t+1) / (1 - C_(t+1)) m + (1 - c_t) / (1 - C_t) g
///   p = p - lr d / (sqrt(v / (1 - beta2^t)) + eps)
///
/// Throws: as Adam; ValueError when momentum_decay is negative.
/// PyTorch: torch.optim.NAdam.
/// Source: Dozat, "Incorporating Nesterov momentum into Adam", 2016.
class NAdam : public ComposedOptimizer<NAdamOptions> {
 public:
  explicit NAdam(TensorList parameters, NAdamOptions options = {}) : NAdam(Groups{{std::move(parameters), options}}) {}
  explicit NAdam(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
};

struct RAdamOptions {
  double lr = 1e-3;
  AdamBetas betas = {};
  double eps = 1e-8;
  double weight_decay = 0;
  bool maximize = false;
};

/// Adam that divides by the average of squares only once that rests on enough steps:
///   g = g + weight_decay p
///   m = beta1 m + (1 - beta1) g,   v = beta2 v + (1 - beta2) g^2,   h = m / (1 - beta1^t)
///   R = 2 / (1 - beta2) - 1,   r = R - 2 t beta2^t / (1 - beta2^t)
///   p = p - lr h sqrt((r - 4) (r - 2) R / ((R - 4) (R - 2) r)) sqrt(1 - beta2^t) / (sqrt(v) + eps)      where r > 5
///   p = p - lr h                                                                                       elsewhere
///
/// Throws: as Adam.
/// PyTorch: torch.optim.RAdam.
/// Source: Liu et al., "On the variance of the adaptive learning rate and beyond", 2020.
class RAdam : public ComposedOptimizer<RAdamOptions> {
 public:
  explicit RAdam(TensorList parameters, RAdamOptions options = {}) : RAdam(Groups{{std::move(parameters), options}}) {}
  explicit RAdam(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
};

struct RpropOptions {
  double lr = 1e-2;                        ///< the first size of a step; a schedule scales all of them
  double eta_minus = 0.5, eta_plus = 1.2;  ///< what it is multiplied by
  double least = 1e-6, largest = 50;       ///< of its size
  bool maximize = false;
};

/// Steps by the sign of the gradient, longer as long as it stays and shorter when it turns:
///   s = s eta_plus where g g' > 0,   s eta_minus where g g' < 0,   within [least, largest]     (g': of the last step)
///   g = 0                            where g g' < 0
///   p = p - sign(g) s
///
/// Throws: as Optimizer; ValueError unless 0 < eta_minus < 1 < eta_plus and 0 <= least <= largest.
/// PyTorch: torch.optim.Rprop.
/// Source: Riedmiller, Braun, "A direct adaptive method for faster backpropagation learning: the RPROP algorithm", 1993.
class Rprop : public ComposedOptimizer<RpropOptions> {
 public:
  explicit Rprop(TensorList parameters, RpropOptions options = {}) : Rprop(Groups{{std::move(parameters), options}}) {}
  explicit Rprop(const Groups& groups);

 private:
  void update(size_t parameter, const Tensor& grad) override;
};

}  // namespace ordo::optim
