#include <ordo/nn/sequential.h>

namespace ordo::nn {

Tensor Sequential::forward(const Tensor& input) {
  Tensor x = input;
  for (Module& module : *this) x = module(x);
  return x;
}

}  // namespace ordo::nn
