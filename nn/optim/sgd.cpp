#include <ordo/nn/optim/sgd.h>

#include <ordo/engine/check.h>
#include <ordo/kernels/optim/optim.h>

namespace ordo::optim {

SGD::SGD(TensorList parameters, SGDOptions options)
    : Optimizer("SGD", std::move(parameters), options.lr), options_(options), momentum_(parameters_.size()) {
  ORDO_CHECK(options.momentum >= 0, ValueError, "SGD", "needs a momentum of at least 0, not {}", options.momentum);
  ORDO_CHECK(options.weight_decay >= 0, ValueError, "SGD", "needs a weight decay of at least 0, not {}",
             options.weight_decay);
  ORDO_CHECK(!options.nesterov || (options.momentum > 0 && options.dampening == 0), ValueError, "SGD",
             "nesterov needs momentum > 0 and dampening == 0, not {} and {}", options.momentum, options.dampening);
}

void SGD::update() {
  for (size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor grad = parameters_[i].grad();
    if (!grad.defined()) continue;
    kernels::SgdStep step{lr_, options_.momentum, options_.dampening, options_.weight_decay, options_.nesterov, false};
    if (options_.momentum != 0 && !momentum_[i].defined()) {
      momentum_[i] = kernels::optimizer_state(parameters_[i]);
      step.first = true;
    }
    kernels::sgd_step_(parameters_[i], grad, momentum_[i], step);
  }
}

}  // namespace ordo::optim
