#include <ordo/autograd/ops/reduce/reductions.h>

#include <algorithm>
#include <cmath>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/reduce.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {

/// What is left of `sizes`, the reduced ones being 1.
static Dims kept_sizes(const Dims& sizes, const Dims& dims) {
  return kernels::sizes_after(sizes, kernels::reduced_mask("sum", sizes.size(), dims), true);
}

/// The gradient of a sum: `grad` for every value that was summed.
static Tensor spread(const Tensor& grad, const Dims& sizes, const Dims& dims) {
  return grad.dim() == 0 ? grad.expand(sizes) : grad.reshape(kept_sizes(sizes, dims)).expand(sizes);
}

Tensor sum(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, sum, input, dims, keepdim);
  Tensor out = kernels::sum(input, dims, keepdim);
  if (!recorded(input)) return call.done(std::move(out));
  return record(call, std::move(out), {input},
                [sizes = input.sizes(), dims](const Tensor& grad) { return spread(grad, sizes, dims); });
}

Tensor mean(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, mean, input, dims, keepdim);
  Tensor out = kernels::mean(input, dims, keepdim);
  if (!recorded(input)) return call.done(std::move(out));
  return record(call, std::move(out), {input}, [sizes = input.sizes(), dims](const Tensor& grad) {
    const double count = double(sizes.product()) / double(grad.numel());
    return spread(grad / std::max(1.0, count), sizes, dims);  // of nothing: a derivative of 0 has one of 0
  });
}

Tensor sum(const Tensor& input) { return sum(input, Dims(), false); }
Tensor mean(const Tensor& input) { return mean(input, Dims(), false); }
Tensor sum(const Tensor& input, const Dims& dims, bool keepdim, DType dtype) {
  return sum(input.to(dtype), dims, keepdim);
}
Tensor mean(const Tensor& input, const Dims& dims, bool keepdim, DType dtype) {
  return mean(input.to(dtype), dims, keepdim);
}

Tensor nansum(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, nansum, input, dims, keepdim);
  return record(call, kernels::nansum(input, dims, keepdim), {input}, [input = Saved(input), dims](const Tensor& grad) {
    const Tensor& x = input.get();
    const Tensor kept = grad.reshape(kept_sizes(x.sizes(), dims));
    return masked_fill(kept.expand(x.sizes()), isnan(x), 0);
  });
}

Tensor nanmean(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, nanmean, input, dims, keepdim);
  detail::expect_floating("nanmean", input, "input");
  kernels::reduced_mask("nanmean", input.dim(), dims);
  const DType wide = input.dtype() == float64 ? float64 : float32;  // a half type cannot hold every count
  const Tensor nan = isnan(input), total = sum(masked_fill(input, nan, 0).to(wide), dims, keepdim);
  return call.done((total / sum(logical_not(nan), dims, keepdim)).to(input.dtype()));
}

Tensor count_nonzero(const Tensor& input, const Dims& dims) {
  const OpCall call("count_nonzero", input, dims);
  detail::expect_defined("count_nonzero", input, "input");
  kernels::reduced_mask("count_nonzero", input.dim(), dims);
  return call.done(sum(ne(input.detach(), 0), dims));
}

/// The product of all values before each one in its row [rows, n], or after each one, by doubling.
static Tensor products_beside(const Tensor& rows, bool before) {
  const int64_t n = rows.size(1);
  const Tensor one = ones({rows.size(0), 1}, rows.options());
  const auto moved = [&](const Tensor& t, const Tensor& in) {
    const int64_t by = in.size(1);
    return before ? cat({in, t.narrow(1, 0, n - by)}, 1) : cat({t.narrow(1, by, n - by), in}, 1);
  };
  Tensor p = moved(rows, one);
  for (int64_t step = 1; step < n; step *= 2) p = p * moved(p, one.expand({rows.size(0), step}));
  return p;
}

/// The product of the others in differentiable operations: every derivative of it is right where there are zeros.
static Tensor products_of_others(const Tensor& x, unsigned mask) {
  if (x.numel() == 0) return x;
  Dims order, back = Dims::filled(x.dim(), 0), permuted;
  for (unsigned reduced : {0u, 1u})
    for (int d = 0; d < x.dim(); ++d)
      if ((mask >> d & 1) == reduced) order.push_back(d);
  int64_t n = 1;
  for (int i = 0; i < x.dim(); ++i) {
    back[int(order[i])] = i;
    permuted.push_back(x.size(order[i]));
    if (mask >> order[i] & 1) n *= x.size(order[i]);
  }
  const Tensor rows = x.permute(order).reshape({x.numel() / n, n});
  return (products_beside(rows, true) * products_beside(rows, false)).reshape(permuted).permute(back);
}

/// The products of the other elements by a division, or, where an output has one zero, for that zero alone. Where an
/// output is infinite or NaN, the division is wrong for the element that made it so.
static Tensor quotients(const Tensor& x, const Tensor& product, const Dims& dims, unsigned mask) {
  const Tensor zero = eq(x, 0), zeros = sum(zero, dims, true), filled = masked_fill(x, zero, 1);
  const Tensor others = kernels::prod(filled, dims, true);
  const Tensor quotient = where(zero, masked_fill(others, ne(zeros, 1), 0), product / filled);
  const Tensor finite = isfinite(product);
  return all(finite).item<bool>() ? quotient : where(finite, quotient, products_of_others(x, mask));
}

Tensor prod(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, prod, input, dims, keepdim);
  return record(call, kernels::prod(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad, const Tensor& result) {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("prod", x.dim(), dims);
                  const Dims kept = kept_sizes(x.sizes(), dims);
                  return grad.reshape(kept) * (grad_enabled() ? products_of_others(x, mask)
                                                              : quotients(x, result.reshape(kept), dims, mask));
                });
}

Tensor prod(const Tensor& input) { return prod(input, Dims()); }
Tensor prod(const Tensor& input, const Dims& dims, bool keepdim, DType dtype) {
  return prod(input.to(dtype), dims, keepdim);
}

Tensor any(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("any", input, dims, keepdim);
  return call.done(kernels::any(input, dims, keepdim));
}
Tensor all(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("all", input, dims, keepdim);
  return call.done(kernels::all(input, dims, keepdim));
}

/// Every element equal to the extreme value gets its share of the gradient. With `nan_shares` NaN equals NaN, else an
/// extreme value of NaN gives NaN to all (docs/derivatives.md).
static Tensor extreme_value(const OpCall& call, Tensor out, const Tensor& input, const Dims& dims, bool nan_shares) {
  return record(call, std::move(out), {input},
                [input = Saved(input), dims, nan_shares](const Tensor& grad, const Tensor& result) {
                  const Tensor& x = input.get();
                  const Dims kept = kept_sizes(x.sizes(), dims);
                  const Tensor extreme = result.detach().reshape(kept);
                  Tensor equal = eq(x, extreme);
                  if (nan_shares) equal = logical_or(equal, logical_and(isnan(x), isnan(extreme)));
                  const Tensor hit = equal.to(x.dtype());
                  return hit * (grad.reshape(kept) / sum(hit, dims, true));
                });
}

static MaxResult extreme_index(const OpCall& call, std::pair<Tensor, Tensor> out, const Tensor& input, int64_t dim,
                               bool keepdim) {
  const TensorList both =
      record(call, {out.first, out.second}, {input},
             [sizes = input.sizes(), dim, keepdim, saved = Saved(out.second)](const TensorList& grads) {
               const Tensor& grad = grads[0];
               const Tensor zero = zeros(sizes, grad.options()), &indices = saved.get();
               if (sizes.empty() || keepdim) return scatter_add(zero, dim, indices, grad);
               return scatter_add(zero, dim, indices.unsqueeze(dim), grad.unsqueeze(dim));
             });
  return {both[0], both[1]};
}

Tensor amax(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("amax", input, dims, keepdim);
  return extreme_value(call, kernels::amax(input, dims, keepdim), input, dims, false);
}
Tensor amin(const Tensor& input, const Dims& dims, bool keepdim) {
  const OpCall call("amin", input, dims, keepdim);
  return extreme_value(call, kernels::amin(input, dims, keepdim), input, dims, false);
}
ORDO_REGISTER_OP({.name = "aminmax", .family = "reduce", .dtypes = kAllTypes});
AminmaxResult aminmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  const OpCall call("aminmax", input, dim, keepdim);
  const Dims dims = dim ? Dims{*dim} : Dims();
  const TensorList both = call.done(TensorList{amin(input, dims, keepdim), amax(input, dims, keepdim)});
  return {both[0], both[1]};
}
Tensor max(const Tensor& input) {
  const OpCall call("max", input);
  return extreme_value(call, kernels::amax(input), input, {}, true);
}
Tensor min(const Tensor& input) {
  const OpCall call("min", input);
  return extreme_value(call, kernels::amin(input), input, {}, true);
}

MaxResult max(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("max", input, dim, keepdim);
  return extreme_index(call, kernels::max(input, dim, keepdim), input, dim, keepdim);
}
MaxResult min(const Tensor& input, int64_t dim, bool keepdim) {
  const OpCall call("min", input, dim, keepdim);
  return extreme_index(call, kernels::min(input, dim, keepdim), input, dim, keepdim);
}

Tensor argmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  const OpCall call("argmax", input, dim, keepdim);
  return call.done(kernels::argmax(input, dim, keepdim));
}
Tensor argmin(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  const OpCall call("argmin", input, dim, keepdim);
  return call.done(kernels::argmin(input, dim, keepdim));
}

/// d var / dx = 2 (x - mean) / (n - correction), `grad` having the reduced shape.
static Tensor var_gradient(const Tensor& grad, const Tensor& x, const Dims& dims, double correction) {
  const Dims kept = kept_sizes(x.sizes(), dims);
  const double n = double(x.numel()) / double(std::max<int64_t>(1, grad.numel()));
  const Tensor scaled = grad.reshape(kept) * (2.0 / std::max(0.0, n - correction));
  return (x - mean(x, dims, true)) * scaled;
}

/// The gradient of a variance from that of its root: grad / (2 root), and 0 where the root is 0 (docs/derivatives.md).
/// Filled before and after the division: its own derivative must not see the 0 either.
static Tensor deviation_gradient(const Tensor& grad, const Tensor& root) {
  const Tensor zero = eq(root, 0);
  return masked_fill(grad / (masked_fill(root, zero, 1) * 2.0), zero, 0);
}

/// Of {variance, mean}, either of whose gradients may be undefined.
static Tensor with_mean_gradient(const TensorList& grads, const Tensor& x, const Dims& dims, double correction) {
  Tensor sum;
  if (grads[0].defined()) sum = var_gradient(grads[0], x, dims, correction);
  if (grads[1].defined()) {
    const Dims kept = kept_sizes(x.sizes(), dims);
    const double n = double(std::max<int64_t>(1, x.numel())) / double(std::max<int64_t>(1, grads[1].numel()));
    const Tensor of_mean = (grads[1].reshape(kept) / n).expand(x.sizes());
    sum = sum.defined() ? sum + of_mean : of_mean;
  }
  return sum;
}

Tensor var(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, var, input, dims, correction, keepdim);
  return record(call, kernels::var(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad) {
                  return var_gradient(grad, input.get(), dims, correction);
                });
}

Tensor std(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, std, input, dims, correction, keepdim);
  return record(call, kernels::std(input, dims, correction, keepdim), {input},
                [input = Saved(input), dims, correction](const Tensor& grad, const Tensor& result) {
                  return var_gradient(deviation_gradient(grad, result), input.get(), dims, correction);
                });
}

std::pair<Tensor, Tensor> var_mean(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, var_mean, input, dims, correction, keepdim);
  const TensorList both =
      record(call, {kernels::var(input, dims, correction, keepdim), kernels::mean(input, dims, keepdim)}, {input},
             [input = Saved(input), dims, correction](const TensorList& grads) {
               return with_mean_gradient(grads, input.get(), dims, correction);
             });
  return {both[0], both[1]};
}

std::pair<Tensor, Tensor> std_mean(const Tensor& input, const Dims& dims, double correction, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, std_mean, input, dims, correction, keepdim);
  const TensorList both =
      record(call, {kernels::std(input, dims, correction, keepdim), kernels::mean(input, dims, keepdim)}, {input},
             [input = Saved(input), dims, correction, keepdim](const TensorList& grads) {
               const Tensor& x = input.get();
               Tensor of_var;
               if (grads[0].defined()) of_var = deviation_gradient(grads[0], ordo::std(x, dims, correction, keepdim));
               return with_mean_gradient({of_var, grads[1]}, x, dims, correction);
             });
  return {both[0], both[1]};
}

Tensor var(const Tensor& input) { return var(input, Dims()); }
Tensor std(const Tensor& input) { return std(input, Dims()); }

/// `grad` and `norm` in the reduced shape with ones. Where the norm is 0, so is the gradient.
static Tensor norm_gradient(const Tensor& grad, const Tensor& norm, const Tensor& x, double p, const Dims& dims) {
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

Tensor norm(const Tensor& input, double p, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, norm, input, p, dims, keepdim);
  return record(call, kernels::norm(input, p, dims, keepdim), {input},
                [input = Saved(input), p, dims](const Tensor& grad, const Tensor& result) {
                  const Tensor& x = input.get();
                  const Dims kept = kept_sizes(x.sizes(), dims);
                  return norm_gradient(grad.reshape(kept), result.reshape(kept), x, p, dims);
                });
}

Tensor norm(const Tensor& input, double p) { return norm(input, p, {}); }

Tensor square_sum(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, square_sum, input, dims, keepdim);
  return record(call, kernels::square_sum(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad) {
                  const Tensor& x = input.get();
                  return x * (grad.reshape(kept_sizes(x.sizes(), dims)) * 2);
                });
}

Tensor logsumexp(const Tensor& input, const Dims& dims, bool keepdim) {
  ORDO_AUTOCAST_CALL(raise, logsumexp, input, dims, keepdim);
  return record(call, kernels::logsumexp(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad, const Tensor& result) {
                  const Tensor& x = input.get();
                  const Dims kept = kept_sizes(x.sizes(), dims);
                  return grad.reshape(kept) * exp(x - result.reshape(kept));
                });
}

}  // namespace ordo
