// Optimisers, which change parameters by their gradients.
//
//   optim::SGD optimizer(model.parameters(), {.lr = 0.01, .momentum = 0.9});
//   optimizer.zero_grad();
//   loss.backward();
//   optimizer.step();
//
// Groups of parameters have options of their own:
//
//   optim::AdamW optimizer({{body.parameters(), {.lr = 1e-4}}, {head.parameters(), {.lr = 1e-3}}});
#pragma once

#include <vector>

#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor.h>
#include <ordo/nn/named_tensor.h>

namespace ordo::optim {

/// Parameters that share options.
template <class Options>
struct ParameterGroup {
  TensorList parameters;
  Options options = {};
};

/// What all optimisers are. A schedule (nn/optim/schedule.h) scales the learning rates of all groups.
///
/// Throws: constructors, ValueError when there are no parameters, one is given twice, or one is not a leaf that
/// requires a gradient.
/// PyTorch: torch.optim.Optimizer.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  /// Updates every parameter that has a gradient, in place and unrecorded; the others keep their values and state.
  void step();
  /// Makes all gradients undefined again.
  void zero_grad();

  /// The learning rate of a group's next step: the group's own times the factor.
  ///
  /// Throws: IndexError when there is no such group.
  double lr(int64_t group = 0) const;
  /// The own learning rate of all groups, or of one.
  ///
  /// Throws: ValueError when it is negative or not finite; IndexError when there is no such group.
  void set_lr(double lr);
  void set_lr(double lr, int64_t group);
  /// Scales the learning rates of all groups from the next step on; 1 at first.
  ///
  /// Throws: ValueError when it is negative or not finite.
  void set_lr_factor(double factor);
  double lr_factor() const { return lr_factor_; }
  int64_t group_count() const { return int64_t(lr_.size()); }
  const TensorList& parameters() const { return parameters_; }  ///< of all groups, one group after the other

  /// Learning rates, and what earlier steps left behind: "lr" [groups], "lr_factor", and entries such as
  /// "state.3.exp_avg" for parameter 3, none before its first step. The tensors are the optimiser's own, not copies.
  nn::NamedTensorList state_dict() const;
  /// Copies the values in. The optimiser must have the same groups and parameters; options other than learning rates
  /// are not part of it.
  ///
  /// Throws: ValueError, ShapeError naming what does not fit; nothing has changed then.
  void load_state_dict(const nn::NamedTensorList& state);
  /// load_state_dict() in two parts: checks now, changes when the result is called.
  nn::Commit prepare_state_dict(const nn::NamedTensorList& state);

 protected:
  Optimizer(const char* name, const std::vector<TensorList>& groups, const std::vector<double>& lr);

  /// A step of one parameter.
  virtual void update(size_t parameter, const Tensor& grad) = 0;

  /// What the steps of one parameter leave behind: tensors of its sizes, undefined before its first step, and numbers.
  struct Memory {
    const char* name;
    Tensor* tensor = nullptr;
    double* number = nullptr;
    double first = 0;  ///< the number before the first step
  };
  virtual std::vector<Memory> remembered(size_t parameter) = 0;

  size_t group_of(size_t parameter) const { return group_[parameter]; }
  double rate_of(size_t parameter) const { return lr_[group_[parameter]] * lr_factor_; }

  TensorList parameters_;

 private:
  size_t index_of(int64_t group) const;  // IndexError
  const char* name_;
  std::vector<size_t> group_;  // of each parameter
  std::vector<double> lr_;     // of each group
  double lr_factor_ = 1;
};

/// What optimisers with `Options` for each group share: a `State` for each parameter, which its steps change.
template <class Options, class State>
class OptimizerOf : public Optimizer {
 protected:
  OptimizerOf(const char* name, const std::vector<ParameterGroup<Options>>& groups)
      : Optimizer(name, of_each(groups, [](const auto& g) { return g.parameters; }),
                  of_each(groups, [](const auto& g) { return g.options.lr; })),
        options_(of_each(groups, [](const auto& g) { return g.options; })) {
    const detail::LibraryCall library;
    state_.resize(parameters_.size());
  }
  const Options& options_of(size_t parameter) const { return options_[group_of(parameter)]; }

  const std::vector<Options> options_;  // of each group
  std::vector<State> state_;

 private:
  template <class F>
  static auto of_each(const std::vector<ParameterGroup<Options>>& groups, const F& f) {
    const detail::LibraryCall library;
    std::vector<decltype(f(groups[0]))> all;
    for (const auto& group : groups) all.push_back(f(group));
    return all;
  }
};

}  // namespace ordo::optim
