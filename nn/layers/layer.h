// Layer: a module that calls a function, and says what it was made with. Internal to nn.
//
//   Unfold::Unfold(Size2 kernel, UnfoldOptions o)
//       : Layer({.function = [=](const Tensor& input) { return unfold(input, kernel, o); },
//                .description = Description("Unfold", kernel).with_options(o, "dilation", "padding", "stride")}) {}
//
// Constructors stand in source files: in a header every program would compile their functions.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/nn/module.h>

namespace ordo::nn {

/// The base of the layers without parameters: ReLU, MaxPool2d, Unfold and so on.
class Layer : public Module {
 public:
  Tensor forward(const Tensor& input) override { return function_(input); }
  std::string description() const override { return description_; }

 protected:
  struct Made {
    ordo::detail::LibraryCall library = {};  // first: memory for the others is the library's
    std::function<Tensor(const Tensor&)> function;
    std::string description;
  };
  explicit Layer(Made made) : function_(std::move(made.function)), description_(std::move(made.description)) {}

 private:
  std::function<Tensor(const Tensor&)> function_;
  std::string description_;
};

}  // namespace ordo::nn
