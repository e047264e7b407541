// A vector of the target's width, each lane of which is one result: widths change no bit. Included once for each target
// of Highway's. Internal.
#if defined(ORDO_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ORDO_LANES_INL_H
#undef ORDO_LANES_INL_H
#else
#define ORDO_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <ordo/engine/tensor/half.h>

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
  friend HWY_INLINE Lanes operator-(Lanes a, Lanes b) { return {hn::Sub(a.v, b.v)}; }
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

// Floats from the bits of half types T, exactly.
template <class T, class V>
HWY_INLINE Lanes<float> floats_of(V bits) {
  const Lanes<float>::Tag d;
  if constexpr (std::is_same_v<T, BFloat16>) {
    return {hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(hn::RebindToUnsigned<Lanes<float>::Tag>(), bits)))};
  } else {
#if ORDO_VECTOR_FMA  // targets that have the conversion
    return {hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, Lanes<float>::Tag>(), bits))};
#else
    uint16_t from[Lanes<float>::count];
    float to[Lanes<float>::count];
    hn::StoreU(bits, hn::Rebind<uint16_t, Lanes<float>::Tag>(), from);
    for (int64_t i = 0; i < Lanes<float>::count; ++i) to[i] = detail::half_to_float(from[i]);
    return Lanes<float>::load(to);
#endif
  }
}

/// Values of T as those of A: T is A, or a half type and A float.
template <class A, class T>
HWY_INLINE Lanes<A> load_as(const T* from) {
  if constexpr (std::is_same_v<A, T>) {
    return Lanes<A>::load(from);
  } else {
    const hn::Rebind<uint16_t, typename Lanes<A>::Tag> d;
    return floats_of<T>(hn::LoadU(d, reinterpret_cast<const uint16_t*>(from)));
  }
}

#if HWY_TARGET != HWY_SCALAR
// 16 bytes of each of some rows, as many as the vector has blocks of 16 bytes. `rows_apart` is the distance of two.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* from, int64_t rows_apart) {
  constexpr int64_t kBlocks = int64_t(sizeof(hn::TFromD<D>) * hn::MaxLanes(D())) / 16;
  if constexpr (kBlocks == 1) {
    return hn::BitCast(d, hn::LoadU(hn::Repartition<uint8_t, D>(), reinterpret_cast<const uint8_t*>(from)));
  } else {
    const hn::Half<D> half;
    return hn::Combine(d, load_blocks(half, from + kBlocks / 2 * rows_apart, rows_apart),
                       load_blocks(half, from, rows_apart));
  }
}

// columns[c] = number c of 16 bytes of a vector's number of rows, as numbers of D's type.
template <class D, class T>
HWY_INLINE void load_numbers(D d, const T* HWY_RESTRICT from, int64_t row, hn::Vec<D>* columns) {
  constexpr int64_t kSide = 16 / sizeof(hn::TFromD<D>);
  if constexpr (kSide == 2) {
    const auto r0 = load_blocks(d, from, kSide * row), r1 = load_blocks(d, from + row, kSide * row);
    columns[0] = hn::InterleaveLower(d, r0, r1);
    columns[1] = hn::InterleaveUpper(d, r0, r1);
  } else {
    const hn::Repartition<double, D> pairs;
    const auto r0 = load_blocks(d, from, kSide * row), r1 = load_blocks(d, from + row, kSide * row),
               r2 = load_blocks(d, from + 2 * row, kSide * row), r3 = load_blocks(d, from + 3 * row, kSide * row);
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r0, r1)),
               low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r2, r3)),
               high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r0, r1)),
               high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r2, r3));
    columns[0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    columns[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    columns[2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    columns[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
}

/// columns[c] = element c of 16 bytes of a vector's number of rows. T is A, or a half type and A float.
template <class A, class T>
HWY_INLINE void load_columns(const T* HWY_RESTRICT from, int64_t row, Lanes<A>* columns) {
  if constexpr (std::is_same_v<A, T>) {
    hn::Vec<typename Lanes<A>::Tag> numbers[16 / sizeof(A)];
    load_numbers(typename Lanes<A>::Tag(), from, row, numbers);
#pragma GCC unroll 4
    for (size_t c = 0; c < 16 / sizeof(A); ++c) columns[c].v = numbers[c];
  } else {  // by pairs of halves
    const hn::RebindToUnsigned<typename Lanes<A>::Tag> d;
    const hn::RebindToSigned<typename Lanes<A>::Tag> signed_d;
    const hn::Rebind<uint16_t, typename Lanes<A>::Tag> halves;
    hn::Vec<decltype(d)> pairs[4];
    load_numbers(d, from, row, pairs);
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      const auto low = hn::And(pairs[c], hn::Set(d, 0xffffu)), high = hn::ShiftRight<16>(pairs[c]);
      columns[2 * c] = floats_of<T>(hn::DemoteTo(halves, hn::BitCast(signed_d, low)));
      columns[2 * c + 1] = floats_of<T>(hn::DemoteTo(halves, hn::BitCast(signed_d, high)));
    }
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
  constexpr int64_t kSide = 16 / sizeof(T);
  if (row == 1) done_rows = rows / kSide * kSide, done_cols = cols / Lanes<A>::count * Lanes<A>::count;
  for (int64_t j = 0; j < done_cols; j += Lanes<A>::count)
    for (int64_t i = 0; i < done_rows; i += kSide) {
      Lanes<A> columns[kSide];
      load_columns(from + i + j * col, col, columns);
      for (int64_t c = 0; c < kSide; ++c) columns[c].store(to + (i + c) * to_row + j);
    }
#endif
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < done_rows ? done_cols : 0; j < cols; ++j) to[i * to_row + j] = A(from[i * row + j * col]);
}

// Calls f.operator()<N>() for the first N of kMost, kMost - 1, ..., 1, or of kMost, kMost / 2, ..., 1, that is not more
// than `count`.
template <int kMost, bool kHalved = false, class F>
void with_constant(int64_t count, const F& f) {
  if constexpr (kMost > 1) {
    constexpr int kLess = kHalved ? kMost / 2 : kMost - 1;
    if (count < kMost) return with_constant<kLess, kHalved>(count, f);
  }
  f.template operator()<kMost>();
}

}  // namespace ordo::kernels::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
