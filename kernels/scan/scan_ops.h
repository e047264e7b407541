// What scans compute; CPU loops and CUDA kernels share it. An operation has
//   State                   trivially copyable
//   combine(a, b)           a stands before b
//   load(offset, i)         value i of a line, at `offset` elements from the tensor's first
//   store(offset, state)
//   kBlock                  how many values are combined left to right; a chunk is kChunkBlocks of these blocks
//   kExact                  combine() is associative to the bit: blocks do not show
//   kCostly                 combine() is worth arranging values for, so that it vectorises
// Internal.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/elementwise/wrapping.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/scan/scan.h>

namespace ordo::kernels {

// Rule 6 of docs/ordering.md.
inline constexpr int kScanBlock = 64;
inline constexpr int kChunkBlocks = 64;

template <class T>
struct ArithmeticScan {
  using State = accumulate_t<T>;
  static constexpr int kBlock = kScanBlock;
  static constexpr bool kExact = std::is_integral_v<T>, kCostly = false;
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
  static constexpr bool kCostly = true;
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
  static constexpr bool kExact = true, kCostly = false;
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
  ORDO_HD State load(int64_t offset, int64_t i) const {
    return {V(x[offset]), uint32_t(i), uint32_t(uint64_t(i) >> 32)};
  }
  ORDO_HD void store(int64_t offset, State s) const {
    values[offset] = T(s.value);
    indices[offset] = s.index();
  }
};

/// Calls f with the scan of that kind; sums and products of integers are int64's.
template <class F>
void with_scan(ScanKind kind, const Tensor& t, const Tensor& out, const F& f) {
  const auto arithmetic = [&]<class T>() {
    const ArithmeticScan<T> data{t.data<T>(), out.data<T>()};
    if (kind == ScanKind::sum)
      f(SumScan<T>{data});
    else if (kind == ScanKind::product)
      f(ProductScan<T>{data});
    else if constexpr (!std::is_integral_v<T>)
      f(LogSumExpScan<T>{data});
  };
  if (t.dtype() == int64) return arithmetic.template operator()<int64_t>();
  dispatch_floating("cumsum", t.dtype(), arithmetic);
}

template <class F>
void with_extremum_scan(bool max, const Tensor& t, const Tensor& values, const Tensor& indices, const F& f) {
  dispatch_numeric("cummax", t.dtype(), [&]<class T>() {
    f(ExtremumScan<T>{t.data<T>(), values.data<T>(), indices.data<int64_t>(), max});
  });
}

}  // namespace ordo::kernels
