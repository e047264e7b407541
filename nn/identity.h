// Identity: gives its input back. It stands where a layer is left out.
#pragma once

#include <ordo/nn/module.h>

namespace ordo::nn {

class Identity : public Module {
 public:
  Tensor forward(const Tensor& input) override { return input; }
};

}  // namespace ordo::nn
