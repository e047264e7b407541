#include <ordo/autograd/ops/reduce/scans.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo {

static Tensor cumsum_backward(const Tensor& t, int64_t dim);

/// The gradient of a scan from one end is the scan from the other, which has no name of its own outside.
static Tensor sum_along(const OpCall& call, const Tensor& t, int64_t dim, bool reverse) {
  return record(call, kernels::cumsum(t, dim, reverse), {t}, [dim, reverse](const Tensor& grad) {
    return reverse ? cumsum(grad, dim) : cumsum_backward(grad, dim);
  });
}
static Tensor cumsum_backward(const Tensor& t, int64_t dim) {
  const OpCall call("cumsum_backward", t, dim);
  return sum_along(call, t, dim, true);
}

static double lowest(DType t) {
  return t == float16 ? -65504 : t == bfloat16 ? -0x1.fep127 : t == float32 ? -0x1.fffffep127 : -0x1.fffffffffffffp1023;
}

/// The gradient of x[k] is the sum of grad[i] exp(x[k] - y[i]) over the i it is in. Positive and negative gradients are
/// summed apart, as logarithms. The lowest number stands for log 0: it has a derivative.
static Tensor log_sum_exp_along(const OpCall& call, const Tensor& t, int64_t dim, bool reverse) {
  return record(call, kernels::logcumsumexp(t, dim, reverse), {t},
                [t = Saved(t), dim, reverse](const Tensor& grad, const Tensor& result) -> TensorList {
                  const Tensor logs = log(abs(grad));
                  const double none = lowest(grad.dtype());
                  const auto part = [&](const Tensor& mask) {
                    const Tensor terms = where(mask, logs, none) - result;
                    const Tensor sums =
                        reverse ? logcumsumexp(terms, dim)
                                : log_sum_exp_along(OpCall("logcumsumexp_backward", terms, dim), terms, dim, true);
                    return exp(sums + t.get());
                  };
                  return {part(gt(grad, 0)) - part(lt(grad, 0))};
                });
}

/// A line's gradients one by one: what a second derivative of a line with zeros is made of.
static Tensor product_gradients(const Tensor& grad, const Tensor& x, const Tensor& y, int64_t dim) {
  const int64_t length = x.size(dim);
  TensorList gradients;
  for (int64_t k = 0; k < length; ++k) {
    Tensor products = ones_like(x.narrow(dim, k, 1));
    if (k + 1 < length) products = cumprod(cat({products, x.narrow(dim, k + 1, length - k - 1)}, dim), dim);
    if (k > 0) products = products * y.narrow(dim, k - 1, 1);
    gradients.push_back(sum(products * grad.narrow(dim, k, length - k), {dim}, true));
  }
  return cat(gradients, dim);
}

/// With zeros in a line: those behind its first one have gradient 0, and the first one's is that of the line with a one
/// in its place.
static Tensor product_gradient(const Tensor& grad, const Tensor& x, const Tensor& y, int64_t dim) {
  if (x.dim() == 0) return grad;
  const Tensor zero = eq(x, 0);
  if (!any(zero).item<bool>()) return cumsum_backward(grad * y, dim) / x;
  if (grad_enabled()) return product_gradients(grad, x, y, dim);
  const Tensor zeros = cumsum(zero, dim), first = logical_and(zero, eq(zeros, 1));
  const Tensor at_first = cumsum_backward(grad * cumprod(masked_fill(x, first, 1), dim), dim);
  return where(first, at_first, where(eq(zeros, 0), cumsum_backward(grad * y, dim) / x, 0));
}

Tensor cumsum(const Tensor& input, int64_t dim, DType dtype) { return cumsum(input.to(dtype), dim); }
Tensor cumsum(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, cumsum, input, dim);
  return sum_along(call, input, dim, false);
}

Tensor logcumsumexp(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, logcumsumexp, input, dim);
  return log_sum_exp_along(call, input, dim, false);
}

Tensor cumprod(const Tensor& input, int64_t dim, DType dtype) { return cumprod(input.to(dtype), dim); }
Tensor cumprod(const Tensor& input, int64_t dim) {
  ORDO_AUTOCAST_CALL(raise, cumprod, input, dim);
  return record(call, kernels::cumprod(input, dim), {input},
                [input = Saved(input), dim](const Tensor& grad, const Tensor& result) {
                  return product_gradient(grad, input.get(), result, dim);
                });
}

static MaxResult extremum(const OpCall& call, std::pair<Tensor, Tensor> out, const Tensor& input, int64_t dim) {
  const TensorList both =
      record(call, {out.first, out.second}, {input}, [dim, indices = Saved(out.second)](const TensorList& grads) {
        return zeros(indices.sizes(), grads[0].options()).scatter_add_(dim, indices.get(), grads[0]);
      });
  return {both[0], both[1]};
}

MaxResult cummax(const Tensor& input, int64_t dim) {
  const OpCall call("cummax", input, dim);
  return extremum(call, kernels::cummax(input, dim), input, dim);
}
MaxResult cummin(const Tensor& input, int64_t dim) {
  const OpCall call("cummin", input, dim);
  return extremum(call, kernels::cummin(input, dim), input, dim);
}

ORDO_REGISTER_OP({.name = "diff", .family = "scan", .dtypes = kAllTypes, .note = "composed"});

Tensor diff(const Tensor& input, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  const OpCall call("diff", input, n, dim, prepend, append);
  detail::expect_defined("diff", input, "input");
  ORDO_CHECK(input.dim() > 0, ShapeError, "diff", "input must have a dimension, but is 0-d");
  ORDO_CHECK(n >= 0, ValueError, "diff", "n must not be negative, but is {}", n);
  const int at = wrap_dim("diff", dim, input.dim());
  TensorList parts;
  for (const Tensor& part : {prepend, input, append})
    if (part.defined()) {
      ORDO_CHECK(part.dim() == input.dim(), ShapeError, "diff",
                 "prepend and append must have as many dimensions as input, but have shape {}, and input {}",
                 part.sizes(), input.sizes());
      parts.push_back(part);
    }
  if (n == 0 && parts.size() == 1) return call.done(input.clone());
  Tensor out = parts.size() == 1 ? input : cat(parts, at);
  for (n = std::min(n, out.size(at)); n > 0; --n) {
    const int64_t left = std::max<int64_t>(0, out.size(at) - 1);
    const Tensor after = out.narrow(at, out.size(at) - left, left), before = out.narrow(at, 0, left);
    out = out.dtype() == boolean ? ne(after, before) : after - before;
  }
  return call.done(out);
}

}  // namespace ordo
