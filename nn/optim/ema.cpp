#include <ordo/nn/optim/ema.h>

#include <algorithm>

#include <ordo/autograd/grad_mode.h>
#include <ordo/autograd/ops/math/where.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/nn/state/entries.h>

namespace ordo::optim {

EMA::EMA(TensorList parameters, EMAOptions options) : parameters_(std::move(parameters)), options_(options) {
  const ordo::detail::LibraryCall library;
  ORDO_CHECK(!parameters_.empty(), ValueError, "EMA", "there are no parameters to average");
  ORDO_CHECK(options.decay >= 0 && options.decay <= 1, ValueError, "EMA", "needs a decay in [0, 1], not {}",
             options.decay);
  NoGrad guard;
  for (const Tensor& p : parameters_) {
    detail::expect_defined("EMA", p, "parameter");
    averages_.push_back(p.detach().clone());
  }
}

void EMA::update() {
  const ordo::detail::LibraryCall library;
  NoGrad guard;
  const double n = double(updates_);
  const double decay = options_.warm_up ? std::min(options_.decay, (1 + n) / (10 + n)) : options_.decay;
  TensorList next;  // all, before the first of them changes anything: there may be no memory for one
  for (size_t i = 0; i < parameters_.size(); ++i)
    next.push_back(lerp(averages_[i], parameters_[i].detach(), 1 - decay));
  for (size_t i = 0; i < next.size(); ++i) kernels::copy_(averages_[i], next[i]);
  ++updates_;
}

void EMA::swap() {
  const ordo::detail::LibraryCall library;
  NoGrad guard;
  TensorList own, changed;
  for (const Tensor& p : parameters_) own.push_back(p.detach().clone()), changed.push_back(p.detach());
  for (size_t i = 0; i < own.size(); ++i) {
    kernels::copy_(changed[i], averages_[i]);
    changed[i].impl()->storage->changed_by("EMA");
    kernels::copy_(averages_[i], own[i]);
  }
}

nn::NamedTensorList EMA::state_dict() const {
  const ordo::detail::LibraryCall library;
  nn::NamedTensorList all{nn::state_of("updates", updates_)};
  for (size_t i = 0; i < averages_.size(); ++i) all.push_back({fmt::format("average.{}", i), averages_[i]});
  return all;
}

nn::Commit EMA::prepare_state_dict(const nn::NamedTensorList& state) {
  const ordo::detail::LibraryCall library;
  nn::Entries given("EMA", state);
  const int64_t updates = given.take<int64_t>("updates");
  TensorList values;
  for (size_t i = 0; i < averages_.size(); ++i)
    values.push_back(given.take(fmt::format("average.{}", i), averages_[i].sizes()));
  given.finish();
  return [this, updates, values] {
    NoGrad guard;
    updates_ = updates;
    for (size_t i = 0; i < values.size(); ++i) averages_[i].copy_(values[i]);
  };
}

}  // namespace ordo::optim
