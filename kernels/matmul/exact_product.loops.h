// The rounding of exact products.
#pragma once

#include <algorithm>
#include <cmath>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/matmul/exact_product.h>

namespace ordo::kernels {

struct CommonStep {
  using State = double;
  const double* x;
  double* out;
  static ORDO_HD double identity() { return HUGE_VAL; }
  static ORDO_HD double empty() { return HUGE_VAL; }
  static ORDO_HD double combine(double a, double b) { return a < b ? a : b; }
  ORDO_HD double load(int64_t offset, int64_t, int64_t) const {
    const uint64_t bits = exact_detail::to_bits(x[offset]) & INT64_MAX, significand = bits & 0xfffffffffffff;
    const double size = exact_detail::from_bits(bits);
    // What the lowest bit of the significand stands for.
    const double step = significand != 0 ? size - exact_detail::from_bits(bits & (bits - 1)) : size;
    return size > 0 ? step : HUGE_VAL;
  }
  ORDO_HD void store(int64_t o, double s) const { out[o] = s; }
};

/// A row of the result; a team's threads take its elements.
template <class T>
struct RoundRow {
  ExactProduct p;
  T* out;

  template <class Team>
  ORDO_TEAM void operator()(int64_t row, const Team& team) const {
    const Gemm& g = p.product;
    const int64_t batch = row / g.m;
    const double* const sums = static_cast<const double*>(g.c.data) + row * g.n;
    const double row_norm = p.row_norms[row], row_step = 0x1p52 * p.row_steps[row];
    team.each(g.n, [&](int64_t j) {
      const double size = row_norm * p.column_norms[batch * g.n + j];
      const bool is_exact = size < row_step * p.column_steps[batch * g.n + j];  // no sum has more than 53 bits
      double sum = sums[j], error = is_exact ? 0 : p.bound * size;
      if (p.bias) sum += p.bias[j], error += fabs(sum) * 0x1p-52;
      if (error > 0) error += fabs(sum) * 0x1p-52;  // of the next two
      const T low = exact_detail::round_to<T>(sum - error), high = exact_detail::round_to<T>(sum + error);
      const bool is_finite = fabs(sum) < HUGE_VAL;
      out[row * g.n + j] = !is_finite             ? T(float(sum))
                           : error == 0           ? exact_detail::round_to<T>(sum)
                           : same_bits(low, high) ? low
                                                  : true_sum(batch, row - batch * g.m, j);
    });
  }

 private:
  static constexpr int64_t kAhead = 16;
  static ORDO_HD bool same_bits(T a, T b) {
    if constexpr (std::is_same_v<T, float>)
      return ordo::detail::float_bits(a) == ordo::detail::float_bits(b);
    else
      return a.bits == b.bits;
  }
  ORDO_HD T true_sum(int64_t batch, int64_t i, int64_t j) const {
    ProductSum<> sum;
    const Gemm& g = p.product;
    const double *a = g.a.at<double>(batch, i, 0), *b = g.b.at<double>(batch, 0, j);
    for (int64_t k = 0; k < g.k; ++k) {
#ifndef __CUDA_ARCH__
      __builtin_prefetch(b + std::min(k + kAhead, g.k - 1) * g.b.row);  // mostly far apart
#endif
      sum.add(a[k * g.a.col] * b[k * g.b.row]);
    }
    if (p.bias) sum.add(p.bias[j]);
    return sum.template rounded<T>();
  }
};

namespace ORDO_LOOPS_DEVICE {

void common_steps(const Tensor& t, const Tensor& out, const ReduceShape& g) {
  reduce(CommonStep{t.data<double>(), out.data<double>()}, g, t.device());
}

void round_products(const ExactProduct& p, const Tensor& out) {
  const Gemm& g = p.product;
  dispatch_floating("matmul", out.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, double>)
      each_team(g.batch * g.m, g.n, RoundRow<T>{p, out.data<T>()}, out.device(), g.n);
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
