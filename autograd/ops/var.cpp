#include <ordo/autograd/ops/var.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/sum.h>
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

/// The gradient of a variance from that of its root: grad / (2 root), and 0 where the root is 0 (docs/derivatives.md).
/// Filled before and after the division: its own derivative must not see the 0 either.
Tensor deviation_gradient(const Tensor& grad, const Tensor& root) {
  const Tensor zero = eq(root, 0);
  return masked_fill(grad / (masked_fill(root, zero, 1) * 2.0), zero, 0);
}

/// Of {variance, mean}, either of whose gradients may be undefined.
Tensor with_mean_gradient(const TensorList& grads, const Tensor& x, const Dims& dims, double correction) {
  Tensor sum;
  if (grads[0].defined()) sum = var_gradient(grads[0], x, dims, correction);
  if (grads[1].defined()) {
    const Dims kept = kernels::sizes_after(x.sizes(), kernels::reduced_mask("mean", x.dim(), dims), true);
    const double n = double(std::max<int64_t>(1, x.numel())) / double(std::max<int64_t>(1, grads[1].numel()));
    const Tensor of_mean = (grads[1].reshape(kept) / n).expand(x.sizes());
    sum = sum.defined() ? sum + of_mean : of_mean;
  }
  return sum;
}

}  // namespace

Tensor var(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  if (detail::raises(input)) return var(detail::raise(input), dims, correction, keepdim);
  const OpCall call("var", input, dims, correction, keepdim);
  return record(call, kernels::var(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad) -> TensorList {
                  return {var_gradient(grad, input.get(), dims, correction)};
                });
}

Tensor std(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  if (detail::raises(input)) return std(detail::raise(input), dims, correction, keepdim);
  const OpCall call("std", input, dims, correction, keepdim);
  return record(call, kernels::std(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad, const Tensor& result) -> TensorList {
                  return {var_gradient(deviation_gradient(grad, result), input.get(), dims, correction)};
                });
}

std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  if (detail::raises(input)) return var_mean(detail::raise(input), dims, correction, keepdim);
  const OpCall call("var_mean", input, dims, correction, keepdim);
  const TensorList both =
      record(call, {kernels::var(input, dims, correction, keepdim), kernels::mean(input, dims, keepdim)}, {input},
             [input = Saved(input), dims, correction](const TensorList& grads) -> TensorList {
               return {with_mean_gradient(grads, input.get(), dims, correction)};
             });
  return {both[0], both[1]};
}

std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  if (detail::raises(input)) return std_mean(detail::raise(input), dims, correction, keepdim);
  const OpCall call("std_mean", input, dims, correction, keepdim);
  const TensorList both =
      record(call, {kernels::std(input, dims, correction, keepdim), kernels::mean(input, dims, keepdim)}, {input},
             [input = Saved(input), dims, correction, keepdim](const TensorList& grads) -> TensorList {
               const Tensor& x = input.get();
               Tensor of_var;
               if (grads[0].defined()) of_var = deviation_gradient(grads[0], ordo::std(x, dims, correction, keepdim));
               return {with_mean_gradient({of_var, grads[1]}, x, dims, correction)};
             });
  return {both[0], both[1]};
}

Tensor var(const Tensor& input) { return var(input, Dims()); }
Tensor std(const Tensor& input) { return std(input, Dims()); }

}  // namespace ordo
