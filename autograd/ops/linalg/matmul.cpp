#include <ordo/autograd/ops/linalg/matmul.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/engine/calls/checked.h>
#include <ordo/kernels/elementwise/operand.h>
#include <ordo/kernels/linalg/cross.h>
#include <ordo/kernels/matmul/matmul.h>
#include <ordo/kernels/reduce/reduce.h>

namespace ordo {

/// Whether a product of these operands is an exact one.
static bool is_exact(const Tensor& a) {
  if (matmul_algorithm() != Algorithm::exact || !kernels::kExactProductTypes.has(a.dtype())) return false;
  OpCall::chose(Algorithm::exact);
  return true;
}

static Tensor product(const OpCall& call, const Tensor& a, const Tensor& b) {
  return record(call, is_exact(a) ? kernels::exact_matmul(a, b, call.name()) : kernels::matmul(a, b, call.name()),
                {a, b}, [a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
                  return {needs(0) ? sum_to(matmul(grad, b.get().transpose(-2, -1)), a.sizes()) : Tensor(),
                          needs(1) ? sum_to(matmul(a.get().transpose(-2, -1), grad), b.sizes()) : Tensor()};
                });
}

static Tensor as_rows(const Tensor& t) {
  if (t.dim() == 2) return t;
  const int64_t cols = t.sizes().back();
  return t.reshape({Dims(t.sizes().begin(), t.dim() - 1).product(), cols});
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  ORDO_AUTOCAST_CALL(lower, matmul, a, b);
  detail::expect_defined("matmul", a, "first input", b, "second input");
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
  ORDO_AUTOCAST_CALL(lower, mm, a, b);
  detail::expect_defined("mm", a, "first input", b, "second input");
  ORDO_CHECK(a.dim() == 2 && b.dim() == 2, ShapeError, "mm", "takes two matrices, not {} and {}; see matmul", a.sizes(),
             b.sizes());
  return product(call, a, b);
}

Tensor bmm(const Tensor& a, const Tensor& b) {
  ORDO_AUTOCAST_CALL(lower, bmm, a, b);
  detail::expect_defined("bmm", a, "first input", b, "second input");
  ORDO_CHECK(a.dim() == 3 && b.dim() == 3 && a.sizes()[0] == b.sizes()[0], ShapeError, "bmm",
             "takes two batches of matrices, [b, m, k] and [b, k, n], not {} and {}; see matmul", a.sizes(), b.sizes());
  return product(call, a, b);
}

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  ORDO_AUTOCAST_CALL(lower, linear, input, weight, bias);
  detail::expect_defined("linear", input, "input", weight, "weight");
  Tensor out = (is_exact(input) ? kernels::exact_linear : kernels::linear)(input, weight, bias);
  return record(call, std::move(out), {input, weight, bias},
                [input = Saved(input), weight = Saved(weight)](const Tensor& grad) -> TensorList {
                  TensorList grads(3);
                  if (needs(0)) grads[0] = matmul(grad, weight.get());
                  if (needs(1) || needs(2)) {
                    const Tensor rows = as_rows(grad);
                    if (needs(1)) grads[1] = matmul(rows.t(), as_rows(input.get()));
                    if (needs(2)) grads[2] = sum_to(rows, {weight.sizes()[0]});
                  }
                  return grads;
                });
}

ORDO_REGISTER_OP({.name = "dot", .family = "reduce", .dtypes = kNumericTypes, .no_rows = "one sum of all elements"});
ORDO_REGISTER_PRODUCT("addmm");
ORDO_REGISTER_PRODUCT("baddbmm");
ORDO_REGISTER_PRODUCT("tensordot");
ORDO_REGISTER_OP({.name = "outer", .family = "elementwise", .dtypes = kNumericTypes});

static void expect_pair(const char* op, const Tensor& a, const Tensor& b) {
  detail::expect_pair(op, a, "first input", b, "second input");
}

static bool is(const Scalar& s, int value) { return s.to_double() == value; }

/// beta input + alpha product
static Tensor scaled_sum(const char* op, const Tensor& input, const Tensor& product, Scalar beta, Scalar alpha) {
  ORDO_CHECK(broadcast_sizes(op, input.sizes(), product.sizes()) == product.sizes(), ShapeError, op,
             "input of shape {} does not broadcast to the product's {}", input.sizes(), product.sizes());
  if (is(beta, 0)) return is(alpha, 1) ? product : product * alpha;
  return add(is(beta, 1) ? input : input * beta, product, alpha);
}

static void expect_sum(const char* op, const Tensor& input, const Tensor& a, const Tensor& b, int rank) {
  detail::expect_defined(op, input, "input");
  expect_pair(op, a, b);
  detail::expect_same_device(op, input, a);
  detail::expect_same_dtype(op, input, a);
  ORDO_CHECK(a.dim() == rank && b.dim() == rank, ShapeError, op, "takes two {}, not tensors of shape {} and {}",
             rank == 2 ? "matrices" : "batches of matrices", a.sizes(), b.sizes());
}

Tensor dot(const Tensor& a, const Tensor& b) {
  ORDO_AUTOCAST_CALL(raise, dot, a, b);
  expect_pair("dot", a, b);
  ORDO_CHECK(a.dim() == 1 && b.dim() == 1 && a.sizes() == b.sizes(), ShapeError, "dot",
             "takes two vectors of one size, not tensors of shape {} and {}", a.sizes(), b.sizes());
  detail::expect_same_dtype("dot", a, b);
  detail::expect_not_bool("dot", a.dtype());
  if (!is_floating(a.dtype())) return call.done(sum(a * b).to(a.dtype()));
  return record(call, kernels::dot(kernels::contiguous(a), kernels::contiguous(b)), {a, b},
                [a = Saved(a), b = Saved(b)](const Tensor& grad) -> TensorList {
                  return {needs(0) ? grad * b.get() : Tensor(), needs(1) ? grad * a.get() : Tensor()};
                });
}

Tensor mv(const Tensor& a, const Tensor& b) {
  const OpCall call("mv", a, b);
  expect_pair("mv", a, b);
  ORDO_CHECK(a.dim() == 2 && b.dim() == 1, ShapeError, "mv", "takes a matrix and a vector, not shapes {} and {}",
             a.sizes(), b.sizes());
  return call.done(matmul(a, b));
}

Tensor outer(const Tensor& a, const Tensor& b) {
  const OpCall call("outer", a, b);
  expect_pair("outer", a, b);
  ORDO_CHECK(a.dim() == 1 && b.dim() == 1, ShapeError, "outer", "takes two vectors, not shapes {} and {}", a.sizes(),
             b.sizes());
  return call.done(a.unsqueeze(1) * b);
}

Tensor addmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  ORDO_AUTOCAST_CALL(lower, addmm, input, a, b, beta, alpha);
  expect_sum("addmm", input, a, b, 2);
  return call.done(scaled_sum("addmm", input, mm(a, b), beta, alpha));
}

Tensor baddbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  ORDO_AUTOCAST_CALL(lower, baddbmm, input, a, b, beta, alpha);
  expect_sum("baddbmm", input, a, b, 3);
  return call.done(scaled_sum("baddbmm", input, bmm(a, b), beta, alpha));
}

Tensor addbmm(const Tensor& input, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  ORDO_AUTOCAST_CALL(lower, addbmm, input, a, b, beta, alpha);
  expect_sum("addbmm", input, a, b, 3);
  ORDO_CHECK(a.sizes()[0] == b.sizes()[0], ShapeError, "addbmm", "batches of {} and {} matrices do not fit",
             a.sizes()[0], b.sizes()[0]);
  // One product: the batch is a part of what is added over.
  const Tensor left = a.transpose(0, 1).flatten(1), right = b.flatten(0, 1);
  return call.done(scaled_sum("addbmm", input, mm(left, right), beta, alpha));
}

Tensor bilinear(const Tensor& x1, const Tensor& x2, const Tensor& weight, const Tensor& bias) {
  const OpCall call("bilinear", x1, x2, weight, bias);
  expect_pair("bilinear", x1, x2);
  detail::expect_defined("bilinear", weight, "weight");
  ORDO_CHECK(weight.dim() == 3, ShapeError, "bilinear", "weight must have shape [out, m, n], not {}", weight.sizes());
  const int64_t out = weight.size(0), m = weight.size(1), n = weight.size(2);
  Dims batch = x1.sizes(), other = x2.sizes();
  const bool fits = x1.dim() > 0 && x2.dim() > 0 && x1.size(-1) == m && x2.size(-1) == n;
  if (fits) batch.erase(batch.size() - 1), other.erase(other.size() - 1);
  ORDO_CHECK(fits && batch == other, ShapeError, "bilinear",
             "inputs must have shapes [..., {}] and [..., {}] with one batch, not {} and {}", m, n, x1.sizes(),
             x2.sizes());
  ORDO_CHECK(!bias.defined() || bias.sizes() == Dims({out}), ShapeError, "bilinear",
             "bias must have shape [{}], not {}", out, bias.sizes());
  const int64_t rows = batch.product("bilinear");
  const Tensor across = weight.permute({1, 0, 2}).reshape({m, out * n});
  const Tensor left = matmul(x1.reshape({rows, m}), across).view({rows, out, n});
  Dims sizes = batch;
  sizes.push_back(out);
  const Tensor y = matmul(left, x2.reshape({rows, n, 1})).view(sizes);
  return call.done(bias.defined() ? y + bias : y);
}

Tensor tensordot(const Tensor& a, const Tensor& b, const std::pair<Dims, Dims>& dims) {
  ORDO_AUTOCAST(lower, tensordot, a, b, dims);
  const OpCall call("tensordot", a, b, dims.first, dims.second);
  expect_pair("tensordot", a, b);
  const auto& [left, right] = dims;
  ORDO_CHECK(left.size() == right.size(), ValueError, "tensordot", "adds over {} of the first and {} of the second",
             left, right);
  // The dimensions that stay, then those that are added over; of b the other way round.
  const auto split = [](const Tensor& t, const Dims& added, Dims& stay, Dims& sizes) {
    unsigned seen = 0;
    for (int64_t dim : added) {
      const int d = wrap_dim("tensordot", dim, t.dim());
      ORDO_CHECK(t.dim() > 0 && !(seen >> d & 1u), ValueError, "tensordot", "dimension {} appears twice in {}", dim,
                 added);
      seen |= 1u << d;
    }
    for (int d = 0; d < t.dim(); ++d) {
      if (seen >> d & 1u) continue;
      stay.push_back(d);
      sizes.push_back(t.sizes()[d]);
    }
  };
  Dims order_a, order_b, stay_b, sizes;
  split(a, left, order_a, sizes);
  const int64_t rows = sizes.product("tensordot");
  Dims columns_of;
  split(b, right, stay_b, columns_of);
  const int64_t columns = columns_of.product("tensordot");
  for (int64_t n : columns_of) sizes.push_back(n);
  int64_t inner = 1;
  for (int i = 0; i < left.size(); ++i) {
    const int da = wrap_dim("tensordot", left[i], a.dim()), db = wrap_dim("tensordot", right[i], b.dim());
    ORDO_CHECK(a.sizes()[da] == b.sizes()[db], ShapeError, "tensordot",
               "dimension {} of shape {} does not fit dimension {} of shape {}", left[i], a.sizes(), right[i],
               b.sizes());
    inner *= a.sizes()[da];
    order_a.push_back(da);
    order_b.push_back(db);
  }
  for (int64_t d : stay_b) order_b.push_back(d);
  (void)sizes.product("tensordot");
  const Tensor x = a.permute(order_a).reshape({rows, inner}), y = b.permute(order_b).reshape({inner, columns});
  return call.done(mm(x, y).view(sizes));
}

Tensor tensordot(const Tensor& a, const Tensor& b, int64_t dims) {
  ORDO_AUTOCAST(lower, tensordot, a, b, dims);
  const detail::OperationName name("tensordot");
  expect_pair("tensordot", a, b);
  ORDO_CHECK(dims >= 0 && dims <= std::min(a.dim(), b.dim()), ShapeError, "tensordot",
             "cannot add over {} dimensions of shapes {} and {}", dims, a.sizes(), b.sizes());
  std::pair<Dims, Dims> pairs;
  for (int i = 0; i < int(dims); ++i) {
    pairs.first.push_back(a.dim() - int(dims) + i);
    pairs.second.push_back(i);
  }
  return tensordot(a, b, pairs);
}

/// Of tensors of one shape and dtype. A gradient adds up from zero, as those of the parts of a tensor do.
static Tensor crossed(const OpCall& call, const Tensor& a, const Tensor& b, int dim, bool is_gradient) {
  return record(call, kernels::cross(a, b, dim, is_gradient), {a, b},
                [a = Saved(a), b = Saved(b), dim](const Tensor& grad) -> TensorList {
                  const auto of = [&](const Tensor& x, const Tensor& y) {
                    return crossed(OpCall("cross_backward", x, y, dim), x, y, dim, true);
                  };
                  return {needs(0) ? of(b.get(), grad) : Tensor(), needs(1) ? of(grad, a.get()) : Tensor()};
                });
}

Tensor cross(const Tensor& a, const Tensor& b, int64_t dim) {
  const OpCall call("cross", a, b, dim);
  expect_pair("cross", a, b);
  ORDO_CHECK(a.dim() > 0 && a.dim() == b.dim(), ShapeError, "cross",
             "takes tensors of as many dimensions, at least one, not shapes {} and {}", a.sizes(), b.sizes());
  const int d = wrap_dim("cross", dim, a.dim());
  ORDO_CHECK(a.sizes()[d] == 3 && b.sizes()[d] == 3, ShapeError, "cross",
             "dimension {} must have size 3 in both; the shapes are {} and {}", d, a.sizes(), b.sizes());
  const DType dtype = kernels::promote_operands(a, b);
  detail::expect_not_bool("cross", dtype);
  const Dims sizes = broadcast_sizes("cross", a.sizes(), b.sizes());
  const auto operand = [&](const Tensor& t) { return (t.sizes() == sizes ? t : t.expand(sizes)).to(dtype); };
  return crossed(call, operand(a), operand(b), d, false);
}

Tensor kron(const Tensor& a, const Tensor& b) {
  const OpCall call("kron", a, b);
  expect_pair("kron", a, b);
  const int rank = std::max(a.dim(), b.dim());
  ORDO_CHECK(2 * rank <= kMaxDims, ShapeError, "kron", "takes at most {} dimensions, not shapes {} and {}",
             kMaxDims / 2, a.sizes(), b.sizes());
  Dims left, right, sizes;
  for (int d = 0; d < rank; ++d) {
    const int of_a = d - (rank - a.dim()), of_b = d - (rank - b.dim());
    const int64_t m = of_a < 0 ? 1 : a.sizes()[of_a], n = of_b < 0 ? 1 : b.sizes()[of_b];
    left.push_back(m);
    left.push_back(1);
    right.push_back(1);
    right.push_back(n);
    sizes.push_back(checked::mul("kron", m, n));
  }
  const Tensor x = a.reshape(left), y = b.reshape(right);
  return call.done((x * y).reshape(sizes));
}

}  // namespace ordo
