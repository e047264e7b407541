#include <ordo/autograd/ops/prod.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/reduce/prod.h>
#include <ordo/kernels/reduce/reduce_shape.h>

namespace ordo {
namespace {

/// The product of all values before each one in its row [rows, n], by doubling.
Tensor products_before(const Tensor& rows) {
  const int64_t n = rows.size(1);
  const Tensor one = ones({rows.size(0), 1}, rows.options());
  Tensor p = cat({one, rows.narrow(1, 0, n - 1)}, 1);
  for (int64_t step = 1; step < n; step *= 2)
    p = p * cat({one.expand({rows.size(0), step}), p.narrow(1, 0, n - step)}, 1);
  return p;
}

/// The product of all values after each one.
Tensor products_after(const Tensor& rows) {
  const int64_t n = rows.size(1);
  const Tensor one = ones({rows.size(0), 1}, rows.options());
  Tensor p = cat({rows.narrow(1, 1, n - 1), one}, 1);
  for (int64_t step = 1; step < n; step *= 2)
    p = p * cat({p.narrow(1, step, n - step), one.expand({rows.size(0), step})}, 1);
  return p;
}

/// The product of the others in differentiable operations: every derivative of it is right where there are zeros.
Tensor products_of_others(const Tensor& x, unsigned mask) {
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
  return (products_before(rows) * products_after(rows)).reshape(permuted).permute(back);
}

/// The same by a division, or, where there is one zero in an output, for that zero alone. An output that is infinite or
/// NaN does not know the others of the element that made it so.
Tensor quotients(const Tensor& x, const Tensor& product, const Dims& dims, unsigned mask) {
  const Tensor zero = eq(x, 0), zeros = sum(zero, dims, true), filled = masked_fill(x, zero, 1);
  const Tensor others = kernels::prod(filled, dims, true);
  const Tensor quotient = where(zero, masked_fill(others, ne(zeros, 1), 0), product / filled);
  const Tensor finite = isfinite(product);
  return all(finite).item<bool>() ? quotient : where(finite, quotient, products_of_others(x, mask));
}

}  // namespace

Tensor prod(const Tensor& input, const Dims& dims, bool keepdim) {
  if (detail::raises(input)) return prod(detail::raise(input), dims, keepdim);
  const OpCall call("prod", input, dims, keepdim);
  return record(call, kernels::prod(input, dims, keepdim), {input},
                [input = Saved(input), dims](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor& x = input.get();
                  const unsigned mask = kernels::reduced_mask("prod", x.dim(), dims);
                  const Dims kept = kernels::sizes_after(x.sizes(), mask, true);
                  return {grad.reshape(kept) * (grad_enabled() ? products_of_others(x, mask)
                                                               : quotients(x, result.reshape(kept), dims, mask))};
                });
}

Tensor prod(const Tensor& input) { return prod(input, Dims()); }

}  // namespace ordo
