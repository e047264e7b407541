#include <ordo/kernels/linalg/linalg.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/math/math.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"cholesky", "solve", "inverse", "det", "slogdet", "qr", "svd", "eigh", "solve_triangular"},
                  {.family = "linalg", .dtypes = {float32, float64}, .note = "computed on the CPU"});
ORDO_REGISTER_OPS({"svd_lowrank", "matrix_power", "lstsq", "pinv"},
                  {.family = "linalg",
                   .dtypes = {float32, float64},
                   .algorithms = {{Algorithm::library, Determinism::run_to_run},  // on CUDA
                                  {Algorithm::direct, Determinism::device_to_device}},
                   .note = "computed on the CPU, but for matrix products"});

namespace {

struct Batch {
  Dims lead;  // sizes before those of a matrix
  int64_t count, m, n;
  Dims with(std::initializer_list<int64_t> last) const {
    Dims sizes = lead;
    for (const int64_t s : last) sizes.push_back(s);
    return sizes;
  }
};

Batch batch_of(const char* op, const Tensor& a, bool square) {
  ordo::detail::expect_defined(op, a, "input");
  ORDO_CHECK(a.dtype() == float32 || a.dtype() == float64, DTypeError, op, "takes float32 and float64 tensors, not {}",
             a.dtype());
  ORDO_CHECK(a.dim() >= 2, ShapeError, op, "takes matrices [..., m, n], not {}", a.sizes());
  const int d = a.dim();
  const Batch b{Dims(a.sizes().begin(), d - 2), Dims(a.sizes().begin(), d - 2).product(), a.sizes()[d - 2],
                a.sizes()[d - 1]};
  ORDO_CHECK(!square || b.m == b.n, ShapeError, op, "takes square matrices, not {}", a.sizes());
  return b;
}

/// Contiguous on the CPU; `own`: in memory of its own.
Tensor on_cpu(const Tensor& a) { return to(contiguous(a), cpu, a.dtype()); }
Tensor own(const Tensor& a) { return a.is_cpu() ? clone(a) : on_cpu(a); }
Tensor back(const Tensor& result, const Tensor& like) { return to(result, like.device(), like.dtype()); }

/// f<T>(i) for each matrix of float32 or float64, which costs about `work` multiplications.
template <class F>
void for_matrices(DType dtype, int64_t count, double work, const F& f) {
  const auto grain = static_cast<int64_t>(32768 / std::max(1.0, work)) + 1;
  const auto run = [&]<class T>() {
    parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) f.template operator()<T>(i);
    });
  };
  dtype == float64 ? run.template operator()<double>() : run.template operator()<float>();
}
double cube(int64_t n) { return double(n) * double(n) * double(n); }

/// for_matrices, where f<T>(i) returns whether matrix i, as errors say, `is_wrong`: ValueError for the first.
template <class F>
void check_matrices(const char* op, const char* is_wrong, DType dtype, int64_t count, double work, const F& f) {
  std::vector<char> wrong(static_cast<size_t>(count));
  for_matrices(dtype, count, work, [&]<class T>(int64_t i) { wrong[size_t(i)] = f.template operator()<T>(i); });
  const auto at = std::find(wrong.begin(), wrong.end(), char(1));
  ORDO_CHECK(at == wrong.end(), ValueError, op, "matrix {} of the batch {}", at - wrong.begin(), is_wrong);
}

constexpr const char* kNotFinite = "has elements that are not finite";

/// Whether an element of the diagonal is at most `least`.
template <class T>
bool has_zero_pivot(const T* lu, int64_t n, T least = 0) {
  for (int64_t i = 0; i < n; ++i)
    if (std::abs(lu[i * n + i]) <= least) return true;
  return false;
}

template <class T>
T largest_pivot(const T* lu, int64_t n) {
  T largest = 0;
  for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(lu[i * n + i]));
  return largest;
}

template <class T>
void lu_solve(const T* lu, T* x, int64_t n, int64_t k) {
  matrix::solve(Triangle::unit_lower, lu, x, n, k);
  matrix::solve(Triangle::upper, lu, x, n, k);
}

/// x [n][n] becomes the inverse of the matrix whose factors are given.
template <class T>
void invert(const T* lu, const int64_t* rows, T* x, int64_t n) {
  std::fill(x, x + n * n, T(0));
  for (int64_t i = 0; i < n; ++i) x[i * n + rows[i]] = 1;
  lu_solve(lu, x, n, n);
}

/// A column of u has the first of its elements that are at least half as large as its largest positive.
template <class T>
void choose_signs(T* columns, T* vh, int64_t m, int64_t count, int64_t n) {
  for (int64_t j = 0; j < count; ++j) {
    T* const u = columns + j * m;
    T largest = 0;
    for (int64_t i = 0; i < m; ++i) largest = std::max(largest, std::abs(u[i]));
    const T* const at = std::find_if(u, u + m, [&](T v) { return std::abs(v) >= largest / 2; });
    if (at == u + m || *at >= 0) continue;
    for (int64_t i = 0; i < m; ++i) u[i] = -u[i];
    for (int64_t i = 0; i < n; ++i) vh[j * n + i] = -vh[j * n + i];
  }
}

}  // namespace

Tensor cholesky(const Tensor& a) {
  const ordo::detail::OperationName name("cholesky");
  const Batch batch = batch_of("cholesky", a, true);
  const Tensor result = own(a);
  const int64_t n = batch.n;
  check_matrices("cholesky", "is not positive-definite", a.dtype(), batch.count, cube(n) / 3,
                 [&]<class T>(int64_t i) { return !matrix::cholesky(result.data<T>() + i * n * n, n); });
  return back(result, a);
}

namespace {

/// The factors of owned matrices [..., n, n].
LuFactors factor(const char* op, const Tensor& matrices, Device device) {
  const Batch batch = batch_of(op, matrices, true);
  const int64_t n = batch.n;
  LuFactors f{matrices, std::vector<int64_t>(size_t(batch.count * n)), std::vector<int>(size_t(batch.count), 1),
              device};
  for_matrices(matrices.dtype(), batch.count, cube(n) / 3, [&]<class T>(int64_t i) {
    f.signs[size_t(i)] = matrix::lu(matrices.data<T>() + i * n * n, f.rows.data() + i * n, n);
  });
  return f;
}

/// ValueError where a diagonal element of the matrices, which lie on the CPU, is 0.
void expect_regular(const char* op, const Tensor& matrices) {
  const Batch batch = batch_of(op, matrices, true);
  check_matrices(op, "is singular", matrices.dtype(), batch.count, double(batch.n), [&]<class T>(int64_t i) {
    return has_zero_pivot(matrices.data<T>() + i * batch.n * batch.n, batch.n);
  });
}

/// f<T>(factors, rows, sign of their order, number of the matrix) for the factors of each.
template <class F>
void for_factors(const char* op, const LuFactors& a, double work, const F& f) {
  const Batch batch = batch_of(op, a.lu, true);
  const int64_t n = batch.n;
  for_matrices(a.lu.dtype(), batch.count, work, [&]<class T>(int64_t i) {
    f.template operator()<T>(a.lu.data<T>() + i * n * n, a.rows.data() + i * n, a.signs[size_t(i)], i);
  });
}

/// Of a or, `transposed`, of a^T, for b [..., n, k]. A single matrix serves all right sides.
Tensor substitute(const LuFactors& a, const Tensor& b, bool transposed) {
  const Batch batch = batch_of("solve", b, false);
  const int64_t n = batch.m, k = batch.n;
  const bool shared = a.signs.size() == 1;
  const Tensor given = transposed ? own(b) : on_cpu(b);
  const Tensor result = ordo::detail::result(b.sizes(), b.dtype(), cpu);
  for_matrices(b.dtype(), batch.count, double(n) * double(n) * double(k), [&]<class T>(int64_t i) {
    const int64_t at = shared ? 0 : i;
    const T* const lu = a.lu.data<T>() + at * n * n;
    const int64_t* const rows = a.rows.data() + at * n;
    T* const y = given.data<T>() + i * n * k;
    T* const x = result.data<T>() + i * n * k;
    if (transposed) {
      matrix::solve(Triangle::upper_transposed, lu, y, n, k);
      matrix::solve(Triangle::unit_lower_transposed, lu, y, n, k);
      for (int64_t r = 0; r < n; ++r) std::copy_n(y + r * k, k, x + rows[r] * k);
    } else {
      for (int64_t r = 0; r < n; ++r) std::copy_n(y + rows[r] * k, k, x + r * k);
      lu_solve(lu, x, n, k);
    }
  });
  return to(result, a.device, b.dtype());
}

}  // namespace

LuFactors lu(const char* op, const Tensor& a) {
  const ordo::detail::OperationName name(op);
  batch_of(op, a, true);
  return factor(op, own(a), a.device());
}

Solution solve(const Tensor& a, const Tensor& b) {
  const ordo::detail::OperationName name("solve");
  ordo::detail::expect_defined("solve", b, "b");
  const Batch from = batch_of("solve", a, true);
  ordo::detail::expect_same_device("solve", a, b);
  ordo::detail::expect_same_dtype("solve", a, b);
  ORDO_CHECK(b.dim() >= 2 && b.size(-2) == from.n, ShapeError, "solve",
             "the second-last dimension of b must be that of the matrices: {} with {}", a.sizes(), b.sizes());
  const int64_t n = from.n, k = b.size(-1);
  Batch batch = from;
  batch.lead = broadcast_sizes("solve", from.lead, Dims(b.sizes().begin(), b.dim() - 2));
  // A matrix that serves several right sides is factored once where it is the only one.
  const bool as_given = from.count == 1 || batch.lead == from.lead;
  LuFactors factors = factor("solve", own(as_given ? a : views::expand(a, batch.with({n, n}))), a.device());
  expect_regular("solve", factors.lu);
  Tensor x = substitute(factors, views::expand(b, batch.with({n, k})), false);
  return {std::move(x), std::move(factors)};
}

Tensor solve_transposed(const LuFactors& a, const Tensor& b) {
  const ordo::detail::OperationName name("solve");
  return substitute(a, b, true);
}

Tensor inverse(const char* op, const LuFactors& a) {
  const ordo::detail::OperationName name(op);
  const int64_t n = a.lu.size(-1);
  expect_regular(op, a.lu);
  const Tensor result = ordo::detail::result(a.lu.sizes(), a.lu.dtype(), cpu);
  for_factors(op, a, cube(n), [&]<class T>(const T* lu, const int64_t* rows, int, int64_t i) {
    invert(lu, rows, result.data<T>() + i * n * n, n);
  });
  return to(result, a.device, result.dtype());
}

Tensor det(const LuFactors& a) {
  const ordo::detail::OperationName name("det");
  const Batch batch = batch_of("det", a.lu, true);
  const int64_t n = batch.n;
  const Tensor result = ordo::detail::result(batch.lead, a.lu.dtype(), cpu);
  for_factors("det", a, double(n), [&]<class T>(const T* lu, const int64_t*, int sign, int64_t i) {
    T product = T(sign);
    for (int64_t k = 0; k < n; ++k) product *= lu[k * n + k];
    result.data<T>()[i] = product;
  });
  return to(result, a.device, result.dtype());
}

Tensor adjugate(const LuFactors& a) {
  const ordo::detail::OperationName name("det");
  const int64_t n = a.lu.size(-1);
  const Tensor result = ordo::detail::result(a.lu.sizes(), a.lu.dtype(), cpu);
  for_factors("det", a, cube(n), [&]<class T>(const T* lu, const int64_t* rows, int sign, int64_t i) {
    std::vector<T> instead;
    if (has_zero_pivot(lu, n)) {
      instead.assign(lu, lu + n * n);
      const T largest = largest_pivot(lu, n);
      const T small = std::numeric_limits<T>::epsilon() * (largest > 0 ? largest : T(1));
      for (int64_t k = 0; k < n; ++k)
        if (lu[k * n + k] == 0) instead[size_t(k * n + k)] = small;
      lu = instead.data();
    }
    T product = T(sign);
    for (int64_t k = 0; k < n; ++k) product *= lu[k * n + k];
    T* const x = result.data<T>() + i * n * n;
    invert(lu, rows, x, n);
    for (int64_t e = 0; e < n * n; ++e) x[e] *= product;
  });
  return to(result, a.device, result.dtype());
}

std::pair<Tensor, Tensor> slogdet(const LuFactors& a) {
  const ordo::detail::OperationName name("slogdet");
  const Batch batch = batch_of("slogdet", a.lu, true);
  const int64_t n = batch.n;
  const Tensor signs = ordo::detail::result(batch.lead, a.lu.dtype(), cpu);
  const Tensor logs = ordo::detail::result(batch.lead, a.lu.dtype(), cpu);
  for_factors("slogdet", a, double(n), [&]<class T>(const T* lu, const int64_t*, int sign, int64_t i) {
    T whole = T(sign), sum = 0;
    for (int64_t k = 0; k < n; ++k) {
      const T pivot = lu[k * n + k];
      whole *= pivot > 0 ? T(1) : pivot < 0 ? T(-1) : pivot;  // 0 and NaN stay
      sum += ordo::math::log(std::abs(pivot));
    }
    signs.data<T>()[i] = whole == 0 ? T(0) : whole;
    logs.data<T>()[i] = sum;
  });
  return {to(signs, a.device, signs.dtype()), to(logs, a.device, logs.dtype())};
}

std::pair<Tensor, Tensor> qr(const Tensor& a) {
  const ordo::detail::OperationName name("qr");
  const Batch batch = batch_of("qr", a, false);
  const int64_t m = batch.m, n = batch.n;
  const Tensor columns = own(views::transpose(a, -2, -1));
  const Tensor r = ordo::detail::result(batch.with({n, n}), a.dtype(), cpu);
  for_matrices(a.dtype(), batch.count, 4 * double(m) * double(n) * double(n),
               [&]<class T>(int64_t i) { matrix::qr(columns.data<T>() + i * m * n, r.data<T>() + i * n * n, m, n); });
  return {back(contiguous(views::transpose(columns, -2, -1)), a), back(r, a)};
}

void expect_full_rank(const char* op, const Tensor& r, int64_t roundings) {
  const Batch batch = batch_of(op, r, true);
  const Tensor from = on_cpu(r);
  constexpr const char* kWrong = "is not of full rank; pinv(a) serves such matrices";
  check_matrices(op, kWrong, r.dtype(), batch.count, double(batch.n), [&]<class T>(int64_t i) {
    const T* const one = from.data<T>() + i * batch.n * batch.n;
    const T least = T(roundings) * std::numeric_limits<T>::epsilon() * largest_pivot(one, batch.n);
    return has_zero_pivot(one, batch.n, least);
  });
}

Tensor solve_triangular(const char* op, const Tensor& a, const Tensor& b, bool upper, bool unitriangular) {
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, b, "b");
  Batch batch = batch_of(op, a, true);
  ordo::detail::expect_same_device(op, a, b);
  ordo::detail::expect_same_dtype(op, a, b);
  ORDO_CHECK(b.dim() >= 2 && b.size(-2) == batch.n, ShapeError, op,
             "b must have as many rows as the triangles (columns where not left): {} with {}", a.sizes(), b.sizes());
  batch.lead = broadcast_sizes(op, batch.lead, Dims(b.sizes().begin(), b.dim() - 2));
  const Tensor x = own(views::expand(b, batch.with({batch.n, b.size(-1)})));
  const Triangle triangle = upper           ? unitriangular ? Triangle::unit_upper : Triangle::upper
                            : unitriangular ? Triangle::unit_lower
                                            : Triangle::lower;
  return back(solve_triangle(op, triangle, views::expand(a, batch.with({batch.n, batch.n})), x), a);
}

Tensor solve_triangle(const char* op, Triangle triangle, const Tensor& t, const Tensor& x) {
  const ordo::detail::OperationName name(op);
  const Tensor from = on_cpu(t), result = on_cpu(x);
  const Batch batch = batch_of(op, x, false);
  const int64_t n = batch.m, k = batch.n;
  if (triangle != Triangle::unit_lower && triangle != Triangle::unit_upper) expect_regular(op, from);
  for_matrices(x.dtype(), batch.count, double(n) * double(n) * double(k), [&]<class T>(int64_t i) {
    matrix::solve(triangle, from.data<T>() + i * n * n, result.data<T>() + i * n * k, n, k);
  });
  return back(result, x);
}

SvdTensors svd(const char* op, const Tensor& a) {
  const ordo::detail::OperationName name(op);
  const Batch batch = batch_of(op, a, false);
  // A wide matrix is decomposed transposed: its rows are the columns.
  const bool wide = batch.m < batch.n;
  const int64_t m = std::max(batch.m, batch.n), n = std::min(batch.m, batch.n);
  const Tensor columns = own(wide ? a : views::transpose(a, -2, -1));
  const Tensor s = ordo::detail::result(batch.with({n}), a.dtype(), cpu);
  const Tensor other = ordo::detail::result(batch.with({n, n}), a.dtype(), cpu);
  const double work = 16 * double(m) * double(n) * double(n);
  check_matrices(op, kNotFinite, a.dtype(), batch.count, work, [&]<class T>(int64_t i) {
    T* const u = columns.data<T>() + i * m * n;
    T* const vh = other.data<T>() + i * n * n;
    if (!std::all_of(u, u + m * n, [](T v) { return std::isfinite(v); })) return true;
    matrix::svd(u, s.data<T>() + i * n, vh, m, n);
    if (wide)
      choose_signs(vh, u, n, n, m);
    else
      choose_signs(u, vh, m, n, n);
    return false;
  });
  const Tensor& left = wide ? other : columns;
  const Tensor& right = wide ? columns : other;
  return {back(contiguous(views::transpose(left, -2, -1)), a), back(s, a), back(right, a)};
}

std::pair<Tensor, Tensor> eigh(const Tensor& a) {
  const ordo::detail::OperationName name("eigh");
  const Batch batch = batch_of("eigh", a, true);
  const int64_t n = batch.n;
  const Tensor work = own(a), values = ordo::detail::result(batch.with({n}), a.dtype(), cpu);
  const Tensor columns = ordo::detail::result(batch.with({n, n}), a.dtype(), cpu);
  check_matrices("eigh", kNotFinite, a.dtype(), batch.count, 32 * cube(n), [&]<class T>(int64_t i) {
    T* const one = work.data<T>() + i * n * n;
    T* const v = columns.data<T>() + i * n * n;
    for (int64_t r = 0; r < n; ++r)
      if (!std::all_of(one + r * n, one + r * n + r + 1, [](T e) { return std::isfinite(e); })) return true;
    matrix::eigh(one, values.data<T>() + i * n, v, n);
    choose_signs<T>(v, nullptr, n, n, 0);
    return false;
  });
  return {back(values, a), back(contiguous(views::transpose(columns, -2, -1)), a)};
}

}  // namespace ordo::kernels
