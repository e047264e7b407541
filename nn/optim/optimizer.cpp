#include <ordo/nn/optim/optimizer.h>

#include <unordered_set>

#include <ordo/engine/check.h>
#include <ordo/engine/op_call.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::optim {

Optimizer::Optimizer(const char* name, TensorList parameters, double lr)
    : parameters_(std::move(parameters)), name_(name) {
  ORDO_CHECK(!parameters_.empty(), ValueError, name, "there are no parameters to optimise");
  std::unordered_set<const TensorImpl*> seen;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& p = parameters_[i];
    detail::expect_defined(name, p, "parameter");
    ORDO_CHECK(p.is_leaf() && p.requires_grad(), ValueError, name,
               "parameter {} is not a leaf that requires a gradient", i);
    ORDO_CHECK(seen.insert(p.impl()).second, ValueError, name, "parameter {} is given twice", i);
  }
  set_lr(lr);
}

void Optimizer::step() {
  const auto gradients = [this] {
    TensorList all;
    for (const Tensor& p : parameters_) all.push_back(p.grad());
    return all;
  };
  const OpCall call(name_, parameters_, gradients, lr_);
  update();
  call.done(parameters_);
}

void Optimizer::zero_grad() {
  for (Tensor& p : parameters_) p.zero_grad();
}

void Optimizer::set_lr(double lr) {
  ORDO_CHECK(lr >= 0, ValueError, name_, "needs a learning rate of at least 0, not {}", lr);
  lr_ = lr;
}

}  // namespace ordo::optim
