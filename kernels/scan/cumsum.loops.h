// cumsum, cumprod and logcumsumexp.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/math/wrapping.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo::kernels {

template <class T>
struct ArithmeticScan {
  using State = accumulate_t<T>;
  static constexpr int kBlock = kScanBlock;
  static constexpr bool kExact = std::is_integral_v<T>;
  const T* x;
  T* out;
  ORDO_HD State load(int64_t offset, int64_t) const { return State(x[offset]); }
  ORDO_HD void store(int64_t offset, State s) const { out[offset] = T(s); }
};

template <class T>
struct SumScan : ArithmeticScan<T> {
  using State = accumulate_t<T>;
  static ORDO_HD State combine(State a, State b) { return wrapping_add(a, b); }
};
template <class T>
struct ProductScan : ArithmeticScan<T> {
  using State = accumulate_t<T>;
  static ORDO_HD State combine(State a, State b) { return wrapping_mul(a, b); }
};
template <class T>
struct LogSumExpScan : ArithmeticScan<T> {
  using State = accumulate_t<T>;
  static ORDO_HD State combine(State a, State b) { return math::logaddexp(a, b); }
};

namespace ORDO_LOOPS_DEVICE {

/// Sums and products of integers are int64's.
void scan(ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out) {
  const auto arithmetic = [&]<class T>() {
    const ArithmeticScan<T> data{t.data<T>(), out.data<T>()};
    if (kind == ScanKind::sum)
      scan_lines(SumScan<T>{data}, s, t.device());
    else if (kind == ScanKind::product)
      scan_lines(ProductScan<T>{data}, s, t.device());
    else if constexpr (!std::is_integral_v<T>)
      scan_lines(LogSumExpScan<T>{data}, s, t.device());
  };
  if (t.dtype() == int64) return arithmetic.template operator()<int64_t>();
  dispatch_floating("cumsum", t.dtype(), arithmetic);
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
