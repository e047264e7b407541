// Sequential: modules one after another.
//
//   nn::Sequential model{nn::Conv2d(1, 16, {3, 3}, {.padding = 1}), nn::ReLU(), nn::Flatten(), nn::Linear(12544, 10)};
//   Tensor logits = model(images);
//
// Write the braces: C++ evaluates arguments in braces from left to right, so the initial weights are drawn in that
// order by every compiler. In parentheses the order is the compiler's choice.
#pragma once

#include <ordo/nn/module_list.h>

namespace ordo::nn {

class Sequential : public ListOf<Module, Module> {
 public:
  Sequential() : ListOf("Sequential") {}
  /// The modules are named "0", "1", ...
  template <class... M>
  requires(sizeof...(M) > 0 && (std::is_base_of_v<Module, std::remove_cvref_t<M>> && ...) &&
           !(sizeof...(M) == 1 && (std::is_same_v<std::remove_cvref_t<M>, Sequential> && ...))) explicit(sizeof...(M) ==
                                                                                                         1)
      Sequential(M&&... modules)
      : Sequential() {
    (push_back(modules), ...);
  }

  Tensor forward(const Tensor& input) override {
    Tensor x = input;
    for (Module& module : *this) x = module(x);
    return x;
  }
};

}  // namespace ordo::nn
