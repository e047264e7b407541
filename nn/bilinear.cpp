#include <ordo/nn/bilinear.h>

#include <cmath>

#include <ordo/autograd/ops/matmul.h>
#include <ordo/engine/check.h>
#include <ordo/nn/description.h>
#include <ordo/nn/init.h>

namespace ordo::nn {

Bilinear::Bilinear(int64_t in1_features, int64_t in2_features, int64_t out_features, BilinearOptions options) {
  ORDO_CHECK(in1_features > 0 && in2_features > 0 && out_features > 0, ValueError, "Bilinear",
             "needs positive sizes, not {}, {} and {}", in1_features, in2_features, out_features);
  weight = add_parameter("weight", zeros({out_features, in1_features, in2_features}));
  if (options.bias) bias = add_parameter("bias", zeros({out_features}));
  reset_parameters();
}

Tensor Bilinear::forward(const Tensor& x1, const Tensor& x2) { return bilinear(x1, x2, weight, bias); }

std::string Bilinear::description() const {
  return Description("Bilinear", weight.size(1), weight.size(2), weight.size(0)).with("bias", bias.defined(), true);
}

void Bilinear::reset_parameters() {
  const double bound = 1 / std::sqrt(double(weight.size(1)));
  init::uniform_(weight, -bound, bound);
  if (bias.defined()) init::uniform_(bias, -bound, bound);
}

}  // namespace ordo::nn
