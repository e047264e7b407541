// Layer: a module that calls a function, and says what it was made with. Internal to nn.
//
//   Unfold::Unfold(Size2 kernel, UnfoldOptions o)
//       : Layer([=](const Tensor& input) { return unfold(input, kernel, o); },
//               Description("Unfold", kernel).with_options(o, "dilation", "padding", "stride")) {}
//
// Constructors stand in source files: in a header every program would compile their functions.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <ordo/nn/module.h>

namespace ordo::nn {

/// The base of the layers without parameters: ReLU, MaxPool2d, Unfold and so on.
class Layer : public Module {
 public:
  Tensor forward(const Tensor& input) override { return function_(input); }
  std::string description() const override { return description_; }

 protected:
  Layer(std::function<Tensor(const Tensor&)> function, std::string description)
      : function_(std::move(function)), description_(std::move(description)) {}

 private:
  std::function<Tensor(const Tensor&)> function_;
  std::string description_;
};

}  // namespace ordo::nn
