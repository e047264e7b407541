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

namespace ordo::nn {
class Entries;
}

namespace ordo::optim {

/// Parameters that share options.
template <class Options>
struct ParameterGroup {
  TensorList parameters;
  Options options = {};
};

/// What all optimisers are. A schedule (nn/optim/schedule.h) scales the learning rates of all groups. Parameters may be
/// frozen (`p.requires_grad_(false)`) before or after they are given to an optimiser, and be freed again.
///
/// Throws: constructors, ValueError when there are no parameters, one is given twice, or one is not a leaf of floating
/// dtype.
/// PyTorch: torch.optim.Optimizer.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(Optimizer&&) = delete;

  /// Updates every parameter that has a gradient, in place and unrecorded; the others keep their values and state.
  ///
  /// Throws: ValueError when a parameter without a gradient is known to the optimiser alone, because a module was
  /// replaced after the optimiser had been made.
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
  explicit Optimizer(const char* name) : name_(name) {}

  /// Appends parameters as one more group; throws as the constructors.
  void add_group(const TensorList& parameters, double lr);

  /// A step of one parameter.
  virtual void update(size_t parameter, const Tensor& grad) = 0;
  /// Whether the steps of a parameter go up the gradient.
  virtual bool maximizes(size_t parameter) const = 0;

  /// What the steps of one parameter leave behind: tensors of its sizes, undefined before its first step, and numbers.
  struct Memory {
    const char* name;
    Tensor* tensor = nullptr;
    double* number = nullptr;
    double first = 0;  ///< the number before the first step
  };
  virtual std::vector<Memory> remembered(size_t parameter) = 0;
  /// What steps of all parameters together leave behind.
  virtual nn::NamedTensorList common_state() const { return {}; }
  virtual nn::Commit prepare_common_state(nn::Entries& given);

  void expect_parameters() const;      // ValueError
  void expect_used() const;            // ValueError when a parameter is the optimiser's alone and has no gradient
  double own_lr(int64_t group) const;  // without the factor; IndexError
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
 public:
  /// As the constructors take them.
  using Groups = std::vector<ParameterGroup<Options>>;

  /// One more group, whose parameters have made no step.
  ///
  /// Throws: as the constructor; nothing has changed then.
  /// PyTorch: torch.optim.Optimizer.add_param_group.
  void add_param_group(const ParameterGroup<Options>& group) {
    const detail::LibraryCall library;
    check_(group.options);
    add_group(group.parameters, group.options.lr);
    options_.push_back(group.options);
    state_.resize(parameters_.size());
  }
  /// Other options of a group from its next step on, its learning rate among them. What steps have left behind stays.
  ///
  /// Throws: as the constructor; IndexError when there is no such group.
  void set_options(const Options& options, int64_t group = 0) {
    check_(options);
    set_lr(options.lr, group);
    options_[size_t(group)] = options;
  }
  /// With the learning rate as set_lr() left it.
  Options options(int64_t group = 0) const {
    const double rate = own_lr(group);
    Options options = options_[size_t(group)];
    options.lr = rate;
    return options;
  }

 protected:
  /// `check` throws for options that cannot be.
  OptimizerOf(const char* name, const Groups& groups, void (*check)(const Options&)) : Optimizer(name), check_(check) {
    for (const auto& group : groups) add_param_group(group);
    expect_parameters();
  }
  const Options& options_of(size_t parameter) const { return options_[group_of(parameter)]; }
  bool maximizes(size_t parameter) const override { return options_of(parameter).maximize; }

  std::vector<State> state_;

 private:
  void (*check_)(const Options&);
  std::vector<Options> options_;  // of each group
};

}  // namespace ordo::optim
