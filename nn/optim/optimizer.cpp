#include <ordo/nn/optim/optimizer.h>

#include <cmath>
#include <unordered_set>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_call.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/optim/optim.h>
#include <ordo/nn/state/entries.h>

namespace ordo::optim {

Optimizer::Optimizer(const char* name, const std::vector<TensorList>& groups, const std::vector<double>& lr)
    : name_(name) {
  const ordo::detail::LibraryCall library;
  lr_ = lr;
  std::unordered_set<const TensorImpl*> seen;
  for (size_t g = 0; g < groups.size(); ++g)
    for (const Tensor& p : groups[g]) {
      const size_t i = parameters_.size();
      detail::expect_defined(name, p, "parameter");
      ORDO_CHECK(p.is_leaf() && p.requires_grad(), ValueError, name,
                 "parameter {} is not a leaf that requires a gradient", i);
      ORDO_CHECK(seen.insert(p.impl()).second, ValueError, name, "parameter {} is given twice", i);
      parameters_.push_back(p);
      group_.push_back(g);
    }
  ORDO_CHECK(!parameters_.empty(), ValueError, name, "there are no parameters to optimise");
  for (size_t g = 0; g < lr.size(); ++g) set_lr(lr[g], int64_t(g));
}

void Optimizer::step() {
  const ordo::detail::LibraryCall library;
  const auto gradients = [this] {
    TensorList all;
    for (const Tensor& p : parameters_) all.push_back(p.grad());
    return all;
  };
  const OpCall call(name_, OpEvent::Role::step, parameters_, gradients, lr());
  for (size_t i = 0; i < parameters_.size(); ++i)
    if (const Tensor grad = parameters_[i].grad(); grad.defined()) update(i, grad);
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

double Optimizer::lr(int64_t group) const { return lr_[index_of(group)] * lr_factor_; }

void Optimizer::set_lr(double lr) {
  for (int64_t g = 0; g < group_count(); ++g) set_lr(lr, g);
}

void Optimizer::set_lr(double lr, int64_t group) {
  ORDO_CHECK(lr >= 0 && std::isfinite(lr), ValueError, name_, "needs a learning rate of at least 0, not {}", lr);
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
      all.push_back(m.tensor ? nn::NamedTensor{name, *m.tensor} : nn::state_of(name, *m.number));
    }
  }
  return all;
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
  given.finish();
  const auto rates = lr.to_vector<double>();
  for (double rate : rates)
    ORDO_CHECK(rate >= 0 && std::isfinite(rate), ValueError, name_, "'lr' must be at least 0, not {}", rate);
  ORDO_CHECK(factor >= 0 && std::isfinite(factor), ValueError, name_, "'lr_factor' must be at least 0, not {}", factor);
  return [this, rates, factor, tensors, numbers] {
    lr_ = rates;
    lr_factor_ = factor;
    for (const auto& [own, value] : tensors) *own = value;
    for (const auto& [own, value] : numbers) *own = value;
  };
}

void Optimizer::load_state_dict(const nn::NamedTensorList& state) { prepare_state_dict(state)(); }

}  // namespace ordo::optim
