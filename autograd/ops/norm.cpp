#include <ordo/autograd/ops/norm.h>

#include <cmath>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/norm.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {
namespace {

/// `grad` and `norm` in the reduced shape with ones. Where the norm is 0, so is the gradient.
Tensor norm_gradient(const Tensor& grad, const Tensor& norm, const Tensor& x, double p, const Dims& dims) {
  if (p == 0) return zeros_like(x);
  if (p == 1) return grad * sign(x);
  if (std::isinf(p)) {
    const Tensor hit = logical_or(eq(abs(x), norm.detach()), isnan(x)).to(x.dtype());
    return sign(x) * hit * (grad / sum(hit, dims, true));
  }
  // Filled before and after the division: its own derivative must not see the 0 either.
  const Tensor zero = eq(norm, 0), divisor = masked_fill(norm, zero, 1);
  if (p == 2) return x * masked_fill(grad / divisor, zero, 0);
  // grad sign(x) |x|^(p-1) / norm^(p-1)
  const Tensor x_zero = eq(x, 0);
  const Tensor power = masked_fill(pow(masked_fill(abs(x), x_zero, 1), p - 1), x_zero, 0);
  return sign(x) * power * masked_fill(grad / pow(divisor, p - 1), zero, 0);
}

}  // namespace

Tensor norm(const Tensor& input, double p, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return norm(detail::raise(input), p, dims, keepdim);
  const OpCall call("norm", input, p, dims, keepdim);
  return record(call, kernels::norm(input, p, dims, keepdim), {input},
                [input = Saved(input), p, dims](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("norm", x.dim(), dims);
                  const Dims kept = kernels::sizes_after(x.sizes(), mask, true);
                  return {norm_gradient(grad.reshape(kept), result.reshape(kept), x, p, dims)};
                });
}

Tensor norm(const Tensor& input, double p) { return norm(input, p, {}); }

Tensor square_sum(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return square_sum(detail::raise(input), dims, keepdim);
  const OpCall call("square_sum", input, dims, keepdim);
  return record(call, kernels::square_sum(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("square_sum", x.dim(), dims);
                  return {x * (grad.reshape(kernels::sizes_after(x.sizes(), mask, true)) * 2)};
                });
}

}  // namespace ordo
