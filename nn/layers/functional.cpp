#include <ordo/nn/layers/functional.h>

#include <ordo/engine/calls/check.h>

namespace ordo::nn {

Functional::Functional(std::string name, std::function<Tensor(const Tensor&)> function)
    : name_(std::move(name)), function_(std::move(function)) {
  ORDO_CHECK(function_, ValueError, "Functional", "needs a function to call");
}

std::string Functional::description() const { return name_.empty() ? "Functional" : "Functional(" + name_ + ")"; }

}  // namespace ordo::nn
