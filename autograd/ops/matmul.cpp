#include <ordo/autograd/ops/matmul.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/matmul/matmul.h>

namespace ordo {
namespace {

Tensor product(const OpCall& call, const Tensor& a, const Tensor& b) {
  return record(call, kernels::matmul(a, b, call.name()), {a, b},
                [a = Saved(a), b = Saved(b), for_a = a.requires_grad(),
                 for_b = b.requires_grad()](const Tensor& grad) -> TensorList {
                  TensorList grads(2);
                  if (for_a) grads[0] = sum_to(matmul(grad, b.get().transpose(-2, -1)), a.sizes());
                  if (for_b) grads[1] = sum_to(matmul(a.get().transpose(-2, -1), grad), b.sizes());
                  return grads;
                });
}

Tensor as_rows(const Tensor& t) {
  if (t.dim() == 2) return t;
  const int64_t cols = t.sizes().back();
  return t.reshape({Dims(t.sizes().begin(), t.dim() - 1).product(), cols});
}

}  // namespace

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (detail::lowers(a, b)) return matmul(detail::lower(a), detail::lower(b));
  const OpCall call("matmul", a, b);
  detail::expect_defined("matmul", a, "first input");
  detail::expect_defined("matmul", b, "second input");
  if (a.dim() == 2 && b.dim() == 2) return product(call, a, b);
  ORDO_CHECK(a.dim() > 0 && b.dim() > 0, ShapeError, "matmul", "takes no 0-d tensors: {} with {}; multiply with *",
             a.sizes(), b.sizes());
  ORDO_CHECK(a.sizes().back() == b.sizes()[std::max(0, b.dim() - 2)], ShapeError, "matmul",
             "the last dimension of the first input must match the {} of the second: {} with {}",
             b.dim() == 1 ? "length" : "second-last", a.sizes(), b.sizes());
  if (a.dim() == 1) return call.done(matmul(a.unsqueeze(0), b).squeeze(b.dim() == 1 ? 0 : -2));
  if (b.dim() == 1) return call.done(matmul(a, b.unsqueeze(1)).squeeze(-1));
  if (b.dim() == 2) {  // one product for the whole batch
    Dims sizes = a.sizes();
    sizes[a.dim() - 1] = b.sizes()[1];
    return call.done(matmul(as_rows(a), b).view(sizes));
  }
  return product(call, a, b);
}

Tensor mm(const Tensor& a, const Tensor& b) {
  if (detail::lowers(a, b)) return mm(detail::lower(a), detail::lower(b));
  const OpCall call("mm", a, b);
  detail::expect_defined("mm", a, "first input");
  detail::expect_defined("mm", b, "second input");
  ORDO_CHECK(a.dim() == 2 && b.dim() == 2, ShapeError, "mm", "takes two matrices, not {} and {}; see matmul", a.sizes(),
             b.sizes());
  return product(call, a, b);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  if (detail::lowers(a, b)) return bmm(detail::lower(a), detail::lower(b));
  const OpCall call("bmm", a, b);
  detail::expect_defined("bmm", a, "first input");
  detail::expect_defined("bmm", b, "second input");
  ORDO_CHECK(a.dim() == 3 && b.dim() == 3 && a.sizes()[0] == b.sizes()[0], ShapeError, "bmm",
             "takes two batches of matrices, [b, m, k] and [b, k, n], not {} and {}; see matmul", a.sizes(), b.sizes());
  return product(call, a, b);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  if (detail::lowers(x, weight, bias)) return linear(detail::lower(x), detail::lower(weight), detail::lower(bias));
  const OpCall call("linear", x, weight, bias);
  detail::expect_defined("linear", x, "input");
  detail::expect_defined("linear", weight, "weight");
  return record(call, kernels::linear(x, weight, bias), {x, weight, bias},
                [x = Saved(x), weight = Saved(weight), for_x = x.requires_grad(), for_weight = weight.requires_grad(),
                 for_bias = bias.defined() && bias.requires_grad()](const Tensor& grad) -> TensorList {
                  TensorList grads(3);
                  if (for_x) grads[0] = matmul(grad, weight.get());
                  if (for_weight || for_bias) {
                    const Tensor rows = as_rows(grad);
                    if (for_weight) grads[1] = matmul(rows.t(), as_rows(x.get()));
                    if (for_bias) grads[2] = sum_to(rows, {weight.sizes()[0]});
                  }
                  return grads;
                });
}

}  // namespace ordo
