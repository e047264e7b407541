#include <ordo/autograd/ops/linalg/linalg.h>

#include <algorithm>
#include <limits>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/shape/diagonal.h>
#include <ordo/kernels/linalg/linalg.h>

namespace ordo {

using kernels::Triangle;

static Tensor adjoint(const Tensor& t) { return t.transpose(-2, -1); }

/// [n, n], column - row of each element.
static Tensor beyond_diagonal(const Tensor& like) {
  const int64_t n = like.size(-1);
  const Tensor i = arange(0, n, 1, {int64, like.device()});
  return i - i.unsqueeze(1);
}
static Tensor diagonal_matrix(const Tensor& values) {
  return where(eq(beyond_diagonal(values), 0), values.unsqueeze(-2), 0);
}
/// The lower triangle, with half of the diagonal.
static Tensor half_lower(const Tensor& t) {
  const Tensor side = beyond_diagonal(t);
  return where(lt(side, 0), t, where(eq(side, 0), t * 0.5, 0));
}

static void expect_wide(const char* op, const Tensor& a) {
  ORDO_CHECK(a.dtype() == float32 || a.dtype() == float64, DTypeError, op, "takes float32 and float64 tensors, not {}",
             a.dtype());
}

Tensor cholesky(const Tensor& a) {
  const OpCall call("cholesky", a);
  // With S = L^-1 da L^-T, dL = L (the lower triangle of S, with half of its diagonal).
  return record(call, kernels::cholesky(a), {a}, [](const Tensor& grad, const Tensor& l) -> TensorList {
    const Tensor lt = adjoint(l);
    const auto divided = [&](const Tensor& x) {
      return grad_enabled() ? solve(lt, x) : kernels::solve_triangle("cholesky", Triangle::lower_transposed, l, x);
    };
    const Tensor left = divided(half_lower(matmul(lt, grad)));  // L^-T phi
    const Tensor both = divided(adjoint(left));                 // L^-T phi^T L^-1
    return {(both + adjoint(both)) * 0.5};
  });
}

Tensor solve(const Tensor& a, const Tensor& b) {
  const OpCall call("solve", a, b);
  const bool vectors =
      a.defined() && b.defined() && a.dim() >= 2 && (b.dim() == 1 || b.sizes() == Dims(a.sizes().begin(), a.dim() - 1));
  if (vectors) {
    ORDO_CHECK(b.size(-1) == a.size(-2), ShapeError, "solve", "a vector b must have the matrices' size: {} with {}",
               a.sizes(), b.sizes());
    return call.done(solve(a, b.unsqueeze(-1)).squeeze(-1));
  }
  auto [x, factors] = kernels::solve(a, b);
  return record(call, std::move(x), {a, b},
                [a = Saved(a), b_sizes = b.sizes(), factors = std::move(factors)](const Tensor& grad,
                                                                                  const Tensor& x) -> TensorList {
                  const Tensor to_b =
                      grad_enabled() ? solve(adjoint(a.get()), grad) : kernels::solve_transposed(factors, grad);
                  Tensor to_a;
                  if (needs(0)) to_a = sum_to(matmul(-to_b, adjoint(x)), a.sizes());
                  return {to_a, sum_to(to_b, b_sizes)};
                });
}

/// t x = y for triangles t; `op` names errors.
static Tensor triangular(const char* op, const Tensor& t, const Tensor& y, bool upper, bool unitriangular) {
  const OpCall call("solve_triangular", t, y, upper, true, unitriangular);
  Tensor solved = kernels::solve_triangular(op, t, y, upper, unitriangular);
  return record(call, std::move(solved), {t, y},
                [=, t = Saved(t), y_sizes = y.sizes()](const Tensor& grad, const Tensor& x) -> TensorList {
                  const Tensor to_y = triangular(op, adjoint(t.get()), grad, !upper, unitriangular);
                  Tensor to_t;
                  if (needs(0)) {
                    const Tensor whole = sum_to(matmul(-to_y, adjoint(x)), t.sizes());
                    to_t = upper ? triu(whole, unitriangular ? 1 : 0) : tril(whole, unitriangular ? -1 : 0);
                  }
                  return {to_t, sum_to(to_y, y_sizes)};
                });
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, bool left, bool unitriangular) {
  const char* const op = "solve_triangular";
  if (left) return triangular(op, a, b, upper, unitriangular);
  const OpCall call(op, a, b, upper, left, unitriangular);
  detail::expect_defined(op, a, "a", b, "b");
  ORDO_CHECK(a.dim() >= 2 && b.dim() >= 2, ShapeError, op, "takes matrices [..., m, n], not {} and {}", a.sizes(),
             b.sizes());
  return call.done(adjoint(triangular(op, adjoint(a), adjoint(b), !upper, unitriangular)).contiguous());
}

Tensor inverse(const Tensor& a) {
  const OpCall call("inverse", a);
  return record(call, kernels::inverse("inverse", kernels::lu("inverse", a)), {a},
                [](const Tensor& grad, const Tensor& inverse) -> TensorList {
                  const Tensor across = adjoint(inverse);
                  return {-matmul(across, matmul(grad, across))};
                });
}

Tensor matrix_power(const Tensor& a, int64_t n) {
  const OpCall call("matrix_power", a, n);
  const char* const op = call.name();
  detail::expect_defined(op, a, "input");
  expect_wide(op, a);
  ORDO_CHECK(a.dim() >= 2 && a.size(-1) == a.size(-2), ShapeError, op, "takes square matrices [..., n, n], not {}",
             a.sizes());
  if (n == 0) return call.done(eye(a.size(-1), a.options()).expand(a.sizes()).contiguous());
  Tensor power, square = n < 0 ? inverse(a) : a;
  for (uint64_t rest = n < 0 ? -uint64_t(n) : uint64_t(n);; square = matmul(square, square)) {
    if (rest & 1) power = power.defined() ? matmul(power, square) : square;
    if ((rest >>= 1) == 0) break;
  }
  return call.done(power.is_same(a) ? a.clone() : power);
}

/// One number for each matrix.
static Tensor each(const Tensor& t) { return t.unsqueeze(-1).unsqueeze(-1); }

Tensor det(const Tensor& a) {
  const OpCall call("det", a);
  kernels::LuFactors factors = kernels::lu("det", a);
  Tensor result = kernels::det(factors);
  return record(call, std::move(result), {a},
                [a = Saved(a), factors = std::move(factors)](const Tensor& grad, const Tensor& det) -> TensorList {
                  if (grad_enabled()) return {each(grad * det) * adjoint(inverse(a.get()))};
                  return {adjoint(each(grad) * kernels::adjugate(factors))};
                });
}

SlogdetResult slogdet(const Tensor& a) {
  const OpCall call("slogdet", a);
  kernels::LuFactors factors = kernels::lu("slogdet", a);
  auto [sign, logabsdet] = kernels::slogdet(factors);
  const TensorList out = record(
      call, {sign, logabsdet}, {a},
      [a = Saved(a), factors = std::move(factors)](const TensorList& grads) -> TensorList {
        if (!grads[1].defined()) return {zeros(a.sizes(), grads[0].options())};
        return {adjoint(each(grads[1]) * (grad_enabled() ? inverse(a.get()) : kernels::inverse("slogdet", factors)))};
      });
  return {out[0], out[1]};
}

QrResult qr(const Tensor& a) {
  const OpCall call("qr", a);
  if (a.defined() && a.dim() >= 2 && a.size(-2) < a.size(-1)) {  // a = [x, y], x = Q R, a = Q [R, Q^T y]
    const int64_t m = a.size(-2), n = a.size(-1);
    const QrResult left = qr(a.narrow(-1, 0, m));
    const TensorList out =
        call.done(TensorList{left.Q, cat({left.R, matmul(adjoint(left.Q), a.narrow(-1, m, n - m))}, -1)});
    return {out[0], out[1]};
  }
  auto [q, r] = kernels::qr(a);
  TensorList results{views::alias(q), views::alias(r)};  // what is kept for the backward pass has no history
  const TensorList out = record(call, std::move(results), {a},
                                [a = Saved(a), q = Saved(q), r = Saved(r)](const TensorList& grads) -> TensorList {
                                  // (gQ + Q sym(upper(gR R^T - Q^T gQ))) R^-T, sym making a symmetric matrix of an
                                  // upper triangle. To be differentiated again, with Q and R of the graph.
                                  const QrResult f = grad_enabled() ? qr(a.get()) : QrResult{q.get(), r.get()};
                                  const Tensor &to_q = grads[0], &to_r = grads[1];
                                  Tensor inner;
                                  if (to_r.defined()) inner = matmul(to_r, adjoint(f.R));
                                  if (to_q.defined()) {
                                    const Tensor part = matmul(adjoint(f.Q), to_q);
                                    inner = inner.defined() ? inner - part : -part;
                                  }
                                  if (!grad_enabled()) {  // transposed: R^-1 (sym Q^T + gQ^T)
                                    const Tensor upper = ge(beyond_diagonal(inner), 0);
                                    Tensor sum = matmul(where(upper, inner, adjoint(inner)), adjoint(f.Q));
                                    if (to_q.defined()) sum = sum + adjoint(to_q);
                                    return {adjoint(kernels::solve_triangle("qr", Triangle::upper, f.R, sum))};
                                  }
                                  const Tensor half = half_lower(adjoint(inner));
                                  Tensor sum = matmul(f.Q, half + adjoint(half));
                                  if (to_q.defined()) sum = sum + to_q;
                                  return {adjoint(solve(f.R, adjoint(sum)))};
                                });
  return {out[0], out[1]};
}

LstsqResult lstsq(const Tensor& a, const Tensor& b) {
  const OpCall call("lstsq", a, b);
  const char* const op = call.name();
  detail::expect_defined(op, a, "a", b, "b");
  expect_wide(op, a);
  detail::expect_same_device(op, a, b);
  detail::expect_same_dtype(op, a, b);
  ORDO_CHECK(a.dim() >= 2, ShapeError, op, "takes matrices [..., m, n], not {}", a.sizes());
  const bool vectors = b.dim() == 1 || b.sizes() == Dims(a.sizes().begin(), a.dim() - 1);
  const Tensor y = vectors ? b.unsqueeze(-1) : b;
  const int64_t m = a.size(-2), n = a.size(-1);
  ORDO_CHECK(y.dim() >= 2 && y.size(-2) == m, ShapeError, op, "b must have as many rows as a: {} with {}", b.sizes(),
             a.sizes());
  (void)broadcast_sizes(op, Dims(a.sizes().begin(), a.dim() - 2), Dims(y.sizes().begin(), y.dim() - 2));
  const QrResult f = qr(m < n ? adjoint(a) : a);
  kernels::expect_full_rank(op, f.R, std::max(m, n));
  Tensor x, residuals = zeros({0}, a.options());
  if (m < n) {
    x = matmul(f.Q, triangular(op, adjoint(f.R), y, false, false));
  } else {
    x = triangular(op, f.R, matmul(adjoint(f.Q), y), true, false);
    if (m > n) residuals = sum(square(matmul(a, x) - y), {-2});
  }
  if (vectors) x = x.squeeze(-1);
  const TensorList out = call.done(TensorList{x, residuals});
  return {out[0], out[1]};
}

EighResult eigh(const Tensor& a) {
  const OpCall call("eigh", a);
  auto [values, vectors] = kernels::eigh(a);
  const TensorList out =
      record(call, {views::alias(values), views::alias(vectors)}, {a},
             [a = Saved(a), l = Saved(values), v = Saved(vectors)](const TensorList& grads) -> TensorList {
               // To be differentiated again: with the factors of the graph.
               const EighResult f = grad_enabled() ? eigh(a.get()) : EighResult{l.get(), v.get()};
               const Tensor &l_of_graph = f.eigenvalues, &v_of_graph = f.eigenvectors;
               Tensor inner;
               if (grads[0].defined()) inner = diagonal_matrix(grads[0]);
               if (grads[1].defined()) {
                 const Tensor apart = l_of_graph.unsqueeze(-2) - l_of_graph.unsqueeze(-1);
                 const Tensor same = eq(beyond_diagonal(apart), 0);
                 const Tensor turned = where(same, 0, matmul(adjoint(v_of_graph), grads[1]) / where(same, 1, apart));
                 inner = inner.defined() ? inner + turned : turned;
               }
               const Tensor whole = matmul(matmul(v_of_graph, inner), adjoint(v_of_graph));
               return {(whole + adjoint(whole)) * 0.5};
             });
  return {out[0], out[1]};
}

/// X - X^T, divided by the differences of squared singular values: element [j, k] by s[k]^2 - s[j]^2.
static Tensor turned(const Tensor& x, const Tensor& s) {
  const Tensor same = eq(beyond_diagonal(s), 0);
  const Tensor row = s.unsqueeze(-2), column = s.unsqueeze(-1);
  return (x - adjoint(x)) / where(same, 1, (row - column) * (row + column));
}

SvdResult svd(const Tensor& a) {
  const OpCall call("svd", a);
  const kernels::SvdTensors t = kernels::svd("svd", a);
  const TensorList out =
      record(call, {views::alias(t.u), views::alias(t.s), views::alias(t.vh)}, {a},
             [a = Saved(a), u = Saved(t.u), s = Saved(t.s), vh = Saved(t.vh)](const TensorList& grads) -> TensorList {
               // To be differentiated again: with the factors of the graph.
               const SvdResult f = grad_enabled() ? svd(a.get()) : SvdResult{u.get(), s.get(), vh.get()};
               const Tensor &to_u = grads[0], &to_s = grads[1], &to_vh = grads[2];
               if (!to_u.defined() && !to_vh.defined()) return {matmul(f.U * to_s.unsqueeze(-2), f.Vh)};
               const int64_t m = f.U.size(-2), n = f.Vh.size(-1), k = f.S.size(-1);
               const Tensor row = f.S.unsqueeze(-2), column = f.S.unsqueeze(-1);
               Tensor inner;
               const auto add = [](Tensor& sum, const Tensor& more) { sum = sum.defined() ? sum + more : more; };
               if (to_s.defined()) add(inner, diagonal_matrix(to_s));
               if (to_u.defined()) add(inner, turned(matmul(adjoint(f.U), to_u), f.S) * row);
               if (to_vh.defined()) add(inner, column * turned(matmul(f.Vh, adjoint(to_vh)), f.S));
               Tensor sum = matmul(matmul(f.U, inner), f.Vh);
               if (to_u.defined() && m > k)
                 add(sum, matmul((to_u - matmul(f.U, matmul(adjoint(f.U), to_u))) / row, f.Vh));
               if (to_vh.defined() && n > k)
                 add(sum, matmul(f.U, (to_vh - matmul(matmul(to_vh, adjoint(f.Vh)), f.Vh)) / column));
               return {sum};
             });
  return {out[0], out[1], out[2]};
}

Tensor pinv(const Tensor& a, std::optional<double> atol, std::optional<double> rtol) {
  const OpCall call("pinv", a, atol, rtol);
  const auto is_tolerance = [](const std::optional<double>& t) { return !t || *t >= 0; };
  ORDO_CHECK(is_tolerance(atol) && is_tolerance(rtol), ValueError, "pinv",
             "atol = {} and rtol = {} must not be negative", atol.value_or(0), rtol.value_or(0));
  Tensor y = no_grad([&] {
    const kernels::SvdTensors f = kernels::svd("pinv", a);
    if (f.s.numel() == 0) return zeros_like(adjoint(a).contiguous());
    const double epsilon =
        a.dtype() == float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double roundings = double(std::max(a.size(-2), a.size(-1))) * epsilon;
    const Tensor least = (f.s.narrow(-1, 0, 1) * rtol.value_or(atol ? 0 : roundings)).clamp(atol.value_or(0));
    const Tensor divided = where(f.s > least, 1 / f.s, 0);
    return matmul(adjoint(f.vh) * divided.unsqueeze(-2), adjoint(f.u));
  });
  return record(call, std::move(y), {a}, [a = Saved(a)](const Tensor& grad, const Tensor& y) -> TensorList {
    // dY = -Y dA Y + Y Y^T dA^T (1 - A Y) + (1 - Y A) dA^T Y^T Y
    const Tensor &x = a.get(), g = adjoint(grad), yt = adjoint(y);
    const Tensor first = matmul(matmul(yt, grad), yt);
    const Tensor beyond_rows = g - matmul(x, matmul(y, g)), beyond_columns = g - matmul(matmul(g, y), x);
    const Tensor second = matmul(matmul(beyond_rows, y), yt), third = matmul(matmul(yt, y), beyond_columns);
    return {second + third - first};
  });
}

SvdLowrankResult svd_lowrank(const Tensor& a, int64_t q, int64_t niter, Generator* generator) {
  const OpCall call("svd_lowrank", a, q, niter);
  detail::expect_defined("svd_lowrank", a, "input");
  expect_wide("svd_lowrank", a);
  ORDO_CHECK(a.dim() >= 2, ShapeError, "svd_lowrank", "takes matrices [..., m, n], not {}", a.sizes());
  const int64_t least = std::min(a.size(-2), a.size(-1));
  ORDO_CHECK(q >= 0 && q <= least, ValueError, "svd_lowrank", "q = {} must lie in [0, {}], for matrices of {}", q,
             least, a.sizes());
  ORDO_CHECK(niter >= 0, ValueError, "svd_lowrank", "niter = {} must not be negative", niter);
  const bool wide = a.size(-2) < a.size(-1);
  const Tensor x = wide ? adjoint(a) : a, xt = wide ? a : adjoint(a);
  Tensor basis = qr(matmul(x, randn({x.size(-1), q}, x.options(), generator))).Q;
  for (int64_t i = 0; i < niter; ++i) basis = qr(matmul(x, qr(matmul(xt, basis)).Q)).Q;
  const SvdResult small = svd(matmul(adjoint(basis), x));
  const Tensor left = matmul(basis, small.U), right = adjoint(small.Vh);
  const TensorList out = call.done(TensorList{wide ? right : left, small.S, wide ? left : right});
  return {out[0], out[1], out[2]};
}

}  // namespace ordo
