#include <ordo/nn/dropout.h>

#include <ordo/autograd/ops/random.h>
#include <ordo/engine/check.h>

namespace ordo::nn {

Dropout::Dropout(double p) : p_(p) {
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, "Dropout", "needs a probability between 0 and 1, not {}", p);
}

Tensor Dropout::forward(const Tensor& input) { return dropout(input, p_, is_training()); }

}  // namespace ordo::nn
