#include <ordo/nn/optim/optimizer.h>

#include <cmath>
#include <unordered_set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/run/graph.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/elementwise/functions.h>
#include <ordo/kernels/optim/optim.h>
#include <ordo/nn/state/entries.h>

namespace ordo::optim {

static void expect_rate(const char* name, double lr) {
  ORDO_CHECK(lr >= 0 && std::isfinite(lr), ValueError, name, "needs a learning rate of at least 0, not {}", lr);
}

void Optimizer::add_group(const TensorList& parameters, double lr) {
  const ordo::detail::LibraryCall library;
  expect_rate(name_, lr);
  std::unordered_set<const TensorImpl*> seen;
  for (const Tensor& p : parameters_) seen.insert(p.impl());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tensor& p = parameters[i];
    const size_t at = parameters_.size() + i;
    detail::expect_defined(name_, p, "parameter");
    ORDO_CHECK(p.is_leaf(), ValueError, name_, "parameter {} is not a leaf: {} computed it", at, p.grad_name());
    ORDO_CHECK(is_floating(p.dtype()), ValueError, name_, "parameter {} is {}, which has no gradient", at, p.dtype());
    ORDO_CHECK(seen.insert(p.impl()).second, ValueError, name_, "parameter {} is given twice", at);
  }
  parameters_.insert(parameters_.end(), parameters.begin(), parameters.end());
  group_.resize(parameters_.size(), lr_.size());
  lr_.push_back(lr);
}

void Optimizer::expect_parameters() const {
  ORDO_CHECK(!parameters_.empty(), ValueError, name_, "there are no parameters to optimise");
}

void Optimizer::expect_used() const {
  for (size_t i = 0; i < parameters_.size(); ++i)
    ORDO_CHECK(parameters_[i].impl_ptr().use_count() > 1 || parameters_[i].grad().defined(), ValueError, name_,
               "nobody but the optimiser has parameter {} any more: make it after the model's modules are what they "
               "stay",
               i);
}

void Optimizer::step() {
  const ordo::detail::LibraryCall library;
  detail::expect_no_capture("an optimiser's step, whose number the host counts");
  const auto gradients = [this] {
    TensorList all;
    for (const Tensor& p : parameters_) all.push_back(p.grad());
    return all;
  };
  const OpCall call(name_, OpEvent::Role::step, parameters_, gradients, lr());
  expect_used();
  kernels::StepsTogether together;
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (const Tensor grad = parameters_[i].grad(); grad.defined()) update(i, maximizes(i) ? kernels::neg(grad) : grad);
  together.launch();
  call.done(parameters_);
}

void Optimizer::zero_grad() {
  for (Tensor& p : parameters_) p.zero_grad();
}

size_t Optimizer::index_of(int64_t group) const {
  ORDO_CHECK(group >= 0 && group < group_count(), IndexError, name_, "there is no group {}; there are {}", group,
             group_count());
  return size_t(group);
}

double Optimizer::own_lr(int64_t group) const { return lr_[index_of(group)]; }
double Optimizer::lr(int64_t group) const { return own_lr(group) * lr_factor_; }

void Optimizer::set_lr(double lr) {
  for (int64_t g = 0; g < group_count(); ++g) set_lr(lr, g);
}

void Optimizer::set_lr(double lr, int64_t group) {
  expect_rate(name_, lr);
  lr_[index_of(group)] = lr;
}

void Optimizer::set_lr_factor(double factor) {
  ORDO_CHECK(factor >= 0 && std::isfinite(factor), ValueError, name_,
             "needs a factor of the learning rate of at least 0, not {}", factor);
  lr_factor_ = factor;
}

nn::NamedTensorList Optimizer::state_dict() const {
  const ordo::detail::LibraryCall library;
  nn::NamedTensorList all{{"lr", from_vector(lr_, {group_count()})}, nn::state_of("lr_factor", lr_factor_)};
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto memory = const_cast<Optimizer*>(this)->remembered(i);  // which is not changed here
    if (memory.empty() || !memory[0].tensor->defined()) continue;
    for (const Memory& m : memory) {
      const std::string name = fmt::format("state.{}.{}", i, m.name);
      // What options that were set since the last step ask for is zero.
      if (m.tensor)
        all.push_back({name, m.tensor->defined() ? *m.tensor : kernels::optimizer_state(parameters_[i])});
      else
        all.push_back(nn::state_of(name, *m.number));
    }
  }
  for (auto& entry : common_state()) all.push_back(std::move(entry));
  return all;
}

nn::Commit Optimizer::prepare_common_state(nn::Entries&) {
  return [] {};
}

nn::Commit Optimizer::prepare_state_dict(const nn::NamedTensorList& state) {
  const ordo::detail::LibraryCall library;
  NoGrad guard;
  nn::Entries given(name_, state);
  const Tensor lr = given.take("lr", {group_count()});
  const double factor = given.take<double>("lr_factor");
  std::vector<std::pair<Tensor*, Tensor>> tensors;
  std::vector<std::pair<double*, double>> numbers;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const auto memory = remembered(i);
    bool stepped = false;
    const auto name = [&](const Memory& m) { return fmt::format("state.{}.{}", i, m.name); };
    for (const Memory& m : memory) stepped |= given.has(name(m));
    for (const Memory& m : memory) {
      if (m.number) numbers.emplace_back(m.number, stepped ? given.take<double>(name(m), m.first) : m.first);
      if (!m.tensor) continue;
      const Tensor value = stepped ? given.take(name(m), parameters_[i].sizes()) : Tensor();
      tensors.emplace_back(m.tensor, Tensor());
      if (!value.defined()) continue;
      tensors.back().second = kernels::optimizer_state(parameters_[i]);
      tensors.back().second.copy_(value);
    }
  }
  const nn::Commit common = prepare_common_state(given);
  given.finish();
  const auto rates = lr.to_vector<double>();
  for (double rate : rates)
    ORDO_CHECK(rate >= 0 && std::isfinite(rate), ValueError, name_, "'lr' must be at least 0, not {}", rate);
  ORDO_CHECK(factor >= 0 && std::isfinite(factor), ValueError, name_, "'lr_factor' must be at least 0, not {}", factor);
  return [this, rates, factor, tensors, numbers, common] {
    lr_ = rates;
    lr_factor_ = factor;
    for (const auto& [own, value] : tensors) *own = value;
    for (const auto& [own, value] : numbers) *own = value;
    common();
  };
}

void Optimizer::load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }

}  // namespace ordo::optim
