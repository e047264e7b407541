// cumsum, cumprod, logcumsumexp, cummax and cummin.
#pragma once

#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/math/math.h>
#include <ordo/kernels/math/wrapping.h>
#include <ordo/kernels/reduce/reducers.h>
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

/// A value and its index, without unnamed bytes between them: a state is copied whole, and each byte of shared memory
/// that is read has been written.
template <class V>
struct PackedValueAt {
  static_assert(sizeof(V) % sizeof(uint32_t) == 0);
  V value;
  uint32_t low, high;
  ORDO_HD int64_t index() const { return int64_t(uint64_t(high) << 32 | low); }
};

/// The extreme value so far and the last place where it stands; a NaN beats every number.
template <class T>
struct ExtremumScan {
  using V = std::conditional_t<sizeof(compare_t<T>) < sizeof(int32_t), int32_t, compare_t<T>>;
  using State = PackedValueAt<V>;
  static constexpr int kBlock = 32;  // states are large, and a tile of them is to fit shared memory
  static constexpr bool kExact = true;
  const T* x;
  T* values;
  int64_t* indices;
  bool max;
  ORDO_HD State combine(State a, State b) const {
    const bool number = a.value == a.value;
    const bool beats = max ? b.value >= a.value : b.value <= a.value;
    if (b.value != b.value || (number && beats))
        [[unlikely]]  // a branch that is mostly foreseen, and no chain of moves
      return b;
    return a;
  }
  /// Most values change nothing, and one comparison tells. False says nothing.
  bool stays(State a, State b) const { return max ? b.value < a.value : b.value > a.value; }
  ORDO_HD State load(int64_t offset, int64_t i) const {
    return {V(x[offset]), uint32_t(i), uint32_t(uint64_t(i) >> 32)};
  }
  ORDO_HD void store(int64_t offset, State s) const {
    values[offset] = T(s.value);
    indices[offset] = s.index();
  }
};

namespace ORDO_LOOPS_DEVICE {

void scan(ScanKind kind, const ScanShape& s, const Tensor& t, const Tensor& out, const Tensor& indices) {
  if (is_extreme(kind))
    return dispatch_numeric("cummax", t.dtype(), [&]<class T>() {
      const bool max = kind == ScanKind::max;
      scan_lines(ExtremumScan<T>{t.data<T>(), out.data<T>(), indices.data<int64_t>(), max}, s, t.device());
    });
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
