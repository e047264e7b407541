// A function as a module.
//
//   nn::Sequential model{nn::Linear(8, 8), nn::Functional("square", [](const Tensor& x) { return x * x; })};
#pragma once

#include <functional>
#include <string>

#include <ordo/nn/layers/layer.h>

namespace ordo::nn {

/// y = function(x). Copies and clones have a copy of the function; tensors that it holds are no parameters of the
/// model.
///
/// Throws: ValueError when the function is empty.
/// PyTorch: torch::nn::Functional.
struct Functional : Layer {
  explicit Functional(std::function<Tensor(const Tensor&)> function) : Functional("", std::move(function)) {}
  /// Printed as "Functional(name)".
  Functional(std::string name, std::function<Tensor(const Tensor&)> function);
};

}  // namespace ordo::nn
