#include <ordo/nn/layers/functional.h>

#include <ordo/engine/calls/check.h>

namespace ordo::nn {

static std::function<Tensor(const Tensor&)> expect_function(std::function<Tensor(const Tensor&)> function) {
  ORDO_CHECK(function, ValueError, "Functional", "needs a function to call");
  return function;
}

Functional::Functional(std::string name, std::function<Tensor(const Tensor&)> function)
    : Layer({.function = expect_function(std::move(function)),
             .description = name.empty() ? "Functional" : "Functional(" + name + ")"}) {}

}  // namespace ordo::nn
