// A vector of the target's width, each lane of which is one result: widths change no bit. Included once for each target
// of Highway's. Internal.
#if defined(ORDO_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ORDO_LANES_INL_H
#undef ORDO_LANES_INL_H
#else
#define ORDO_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstdint>
#include <type_traits>

// Of x86's sets, lower numbers are newer ones. All of 64-bit ARM's have fused multiply-adds and 32 registers.
#undef ORDO_VECTOR_FMA
#undef ORDO_MANY_REGISTERS
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define ORDO_VECTOR_FMA 0
#define ORDO_MANY_REGISTERS 0
#elif HWY_ARCH_X86
#define ORDO_VECTOR_FMA (HWY_TARGET <= HWY_AVX2)
#define ORDO_MANY_REGISTERS (HWY_TARGET <= HWY_AVX3)
#else
#define ORDO_VECTOR_FMA HWY_ARCH_ARM_A64
#define ORDO_MANY_REGISTERS HWY_ARCH_ARM_A64
#endif

HWY_BEFORE_NAMESPACE();
namespace ordo::kernels::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Lanes {
  using Tag = hn::ScalableTag<T>;
  static constexpr int64_t count = int64_t(hn::MaxLanes(Tag()));
  hn::Vec<Tag> v;

  // Written out, because the ones that a compiler makes are not of the target.
  HWY_INLINE Lanes() {}
  HWY_INLINE Lanes(hn::Vec<Tag> lanes) : v(lanes) {}

  static HWY_INLINE Lanes load(const T* from) { return {hn::LoadU(Tag(), from)}; }
  static HWY_INLINE Lanes all(T value) { return {hn::Set(Tag(), value)}; }
  HWY_INLINE void store(T* to) const { hn::StoreU(v, Tag(), to); }
  friend HWY_INLINE Lanes operator+(Lanes a, Lanes b) { return {hn::Add(a.v, b.v)}; }
  /// sum + a b, rounded once.
  static HWY_INLINE Lanes fused(Lanes a, Lanes b, Lanes sum) {
#if ORDO_VECTOR_FMA
    return {hn::MulAdd(a.v, b.v, sum.v)};
#else  // where Highway's MulAdd rounds the product
    T x[count], y[count], z[count];
    a.store(x);
    b.store(y);
    sum.store(z);
    for (int64_t i = 0; i < count; ++i) z[i] = std::fma(x[i], y[i], z[i]);
    return load(z);
#endif
  }
};

#if HWY_TARGET != HWY_SCALAR
// 16 bytes of each of some rows, as many as the vector has blocks of 16 bytes. `rows_apart` is the distance of two.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, int64_t rows_apart) {
  if constexpr (sizeof(T) * hn::MaxLanes(D()) == 16) {
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    const int64_t blocks = int64_t(sizeof(T) * hn::MaxLanes(half)) / 16;
    return hn::Combine(d, load_blocks(half, from + blocks * rows_apart, rows_apart),
                       load_blocks(half, from, rows_apart));
  }
}

// columns[c] = element c of a vector's number of rows, for 16 bytes of each.
template <class T>
HWY_INLINE void load_columns(const T* HWY_RESTRICT from, int64_t row, Lanes<T>* columns) {
  const typename Lanes<T>::Tag d;
  constexpr int64_t kSide = 16 / sizeof(T);
  if constexpr (sizeof(T) == 8) {
    const auto r0 = load_blocks(d, from, kSide * row), r1 = load_blocks(d, from + row, kSide * row);
    columns[0].v = hn::InterleaveLower(d, r0, r1);
    columns[1].v = hn::InterleaveUpper(d, r0, r1);
  } else {
    const hn::Repartition<double, decltype(d)> pairs;
    const auto r0 = load_blocks(d, from, kSide * row), r1 = load_blocks(d, from + row, kSide * row),
               r2 = load_blocks(d, from + 2 * row, kSide * row), r3 = load_blocks(d, from + 3 * row, kSide * row);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1)),
               low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3)),
               high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1)),
               high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    columns[0].v = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    columns[1].v = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    columns[2].v = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    columns[3].v = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
}
#endif

// to[i * to_row + j] = from[i * row + j * col], for rows x cols elements; `col` or `row` is 1 where it is to be fast.
template <class T, class A>
void copy_matrix(const T* HWY_RESTRICT from, int64_t row, int64_t col, int64_t rows, int64_t cols, A* HWY_RESTRICT to,
                 int64_t to_row) {
  if (col == 1) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < cols; ++j) to[i * to_row + j] = A(from[i * row + j]);
    return;
  }
  int64_t done_rows = 0, done_cols = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, A>) {
    constexpr int64_t kSide = 16 / sizeof(A);
    if (row == 1) done_rows = rows / kSide * kSide, done_cols = cols / Lanes<A>::count * Lanes<A>::count;
    for (int64_t j = 0; j < done_cols; j += Lanes<A>::count)
      for (int64_t i = 0; i < done_rows; i += kSide) {
        Lanes<A> columns[kSide];
        load_columns(from + i + j * col, col, columns);
        for (int64_t c = 0; c < kSide; ++c) columns[c].store(to + (i + c) * to_row + j);
      }
  }
#endif
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < done_rows ? done_cols : 0; j < cols; ++j) to[i * to_row + j] = A(from[i * row + j * col]);
}

}  // namespace ordo::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
