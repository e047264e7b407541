#include <ordo/autograd/ops/var.h>

#include <algorithm>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/tape.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/var.h>

namespace ordo {
namespace {

/// d var / dx = 2 (x - mean) / (n - correction), `grad` having the reduced shape.
Tensor var_gradient(const Tensor& grad, const Tensor& x, const Dims& dims, double correction) {
  const unsigned mask = kernels::reduced_mask("var", x.dim(), dims);
  const Dims kept = kernels::sizes_after(x.sizes(), mask, true);
  const double n = double(x.numel()) / double(std::max<int64_t>(1, grad.numel()));
  const Tensor scaled = grad.reshape(kept) * (2.0 / std::max(0.0, n - correction));
  return (x - mean(x, dims, true)) * scaled;
}

}  // namespace

Tensor var(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  return record("var", kernels::var(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad) -> TensorList {
                  return {var_gradient(grad, input.get(), dims, correction)};
                });
}

Tensor std(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  return record("std", kernels::std(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad, const Tensor& result) -> TensorList {
                  return {var_gradient(grad / (result * 2.0), input.get(), dims, correction)};
                });
}

Tensor var(const Tensor& input) { return var(input, Dims()); }
Tensor std(const Tensor& input) { return std(input, Dims()); }

}  // namespace ordo
