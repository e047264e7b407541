// The CPU's loop over an elementwise functor, which is called with values of math_t. Internal: for *.loops.h.
#pragma once

#include <algorithm>
#include <utility>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/tensor/independent.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/loop.h>
#include <ordo/kernels/vectors/vector_targets.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

/// Elements that do not lie side by side, and those of half types, become values of math_t, so many at a time: reading,
/// arithmetic and writing then vectorise one after the other.
inline constexpr int64_t kPiece = 1024;

/// Values that loops take at a time. A number, or an element that a whole row repeats, is a block of equal values:
/// every round of the loop reads that block.
inline constexpr int64_t kBlock = 32;

/// Where the elements of a piece lie: rows of `width`, `inner` apart, whose beginnings are `row` apart.
struct Places {
  int64_t row, width, inner;
  /// One element only.
  bool repeats() const { return row == 0 && (width == 1 || inner == 0); }
  bool side_by_side() const { return width == 1 ? row == 1 : inner == 1 && row == width; }
};

/// How elements of a type become values, and values elements.
struct Elements {
  size_t size;
  bool are_values;                                                                   ///< themselves
  void (*read)(void* values, const void* elements, const Places& at, int64_t rows);  ///< may write a block more
  void (*repeat)(void* values, const Scalar& number, int64_t n);
  void (*write)(void* elements, const Places& at, const void* values, int64_t rows);
};

template <class T>
void read_elements(void* values, const void* elements, const Places& at, int64_t rows) {
  auto* to = static_cast<math_t<T>*>(values);
  const auto* const from = static_cast<const T*>(elements);
  const int64_t row = at.row, width = at.width, inner = at.inner;
  if (at.side_by_side())
    for (int64_t i = 0; i < rows * width; ++i) to[i] = from[i];
  else if (width == 1 && row == 0)
    std::fill_n(to, rows, math_t<T>(*from));
  else if (width == 1)
    for (int64_t i = 0; i < rows; ++i) to[i] = from[i * row];
  else if (inner == 0)  // Whole blocks take the least time. The next row covers what is too much.
    for (int64_t r = 0; r < rows; ++r, to += width)
      for (int64_t i = 0; i < width; i += kBlock) std::fill_n(to + i, kBlock, math_t<T>(from[r * row]));
  else
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < width; ++i) *to++ = from[r * row + i * inner];
}
template <class T>
void repeat_number(void* values, const Scalar& number, int64_t n) {
  std::fill_n(static_cast<math_t<T>*>(values), n, scalar_as<T>(number));
}
template <class T>
void write_elements(void* elements, const Places& at, const void* values, int64_t rows) {
  auto* const to = static_cast<T*>(elements);
  const auto* from = static_cast<const math_t<T>*>(values);
  const int64_t row = at.row, width = at.width, inner = at.inner;
  if (at.side_by_side())
    for (int64_t i = 0; i < rows * width; ++i) to[i] = T(from[i]);
  else if (width == 1)
    for (int64_t i = 0; i < rows; ++i) to[i * row] = T(from[i]);
  else
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < width; ++i) to[r * row + i * inner] = T(*from++);
}

template <class T>
inline constexpr Elements kElements = {sizeof(T), std::is_same_v<T, math_t<T>>, read_elements<T>, repeat_number<T>,
                                       write_elements<T>};

/// An operand's values. The next block is `step` further: kBlock, or 0 where one block of equal values is all.
template <class V>
struct Values {
  const V* p;
  int64_t step;
};
/// Those from the i-th on.
template <class V>
Values<V> values_from(const Values<void>& x, int64_t i = 0) {
  return {static_cast<const V*>(x.p) + (x.step ? i : 0), x.step};
}

template <class Z, class F, class... V>
[[gnu::always_inline]] inline void all_values(Z* z, int64_t n, F f, Values<V>... x) {
  for (; n >= kBlock; n -= kBlock, z += kBlock) {
    ORDO_INDEPENDENT  // also in place
        for (int64_t i = 0; i < kBlock; ++i) z[i] = f(x.p[i]...);
    ((x.p += x.step), ...);
  }
  ORDO_INDEPENDENT
  for (int64_t i = 0; i < n; ++i) z[i] = f(x.p[i]...);
}

/// Values that are looked at together for a fast path.
inline constexpr int64_t kFastPiece = 256;

/// Those elements of x that are listed, and more up to a multiple of kBlock, so that loops end without single ones.
template <class V>
struct Listed {
  static int64_t whole(int64_t count) { return (count + kBlock - 1) / kBlock * kBlock; }
  V values[kFastPiece];
  Listed(Values<V> x, const uint8_t* list, int64_t count) {
    if (x.step == 0)
      std::fill_n(values, whole(count), *x.p);
    else {
      for (int64_t i = 0; i < count; ++i) values[i] = x.p[list[i]];
      for (int64_t i = count; i < whole(count); ++i) values[i] = values[0];
    }
  }
};

/// Computes a piece, at most `most` values, and returns how many. Where most of them have a fast path, all of them take
/// it, and those that have none are then computed anew, side by side. Where few have one, the values that follow are
/// computed without a look at them, which would probably be in vain.
template <class Set, class Z, class F, class... V>
[[gnu::always_inline]] inline int64_t fast_values(Z* z, int64_t most, F f, Values<V>... x) {
  int32_t is_slow[kFastPiece], slow = 0;  // as wide as floats, which vectors then need not be narrowed for
  uint8_t list[kFastPiece];
  static_assert(kFastPiece == 256, "a place takes a byte");
  const int64_t n = std::min(most, kFastPiece), longer = std::min(most, 4 * kFastPiece);
  all_values(
      is_slow, n, [f](V... v) { return !is_fast(f, v...); }, x...);
  for (int64_t i = 0; i < n; ++i) slow += is_slow[i];
  if (slow > n / 8 * 3) {
    Set::all(z, longer, f, x...);
    return longer;
  }
  all_values(
      z, n, [f](V... v) { return fast(f, v...); }, x...);
  if (slow == 0) return n;
  int64_t count = 0;
  for (int64_t i = 0; i < n; ++i) {  // without a branch
    list[count] = uint8_t(i);
    count += is_slow[i];
  }
  Z values[kFastPiece];
  Set::all(values, Listed<Z>::whole(count), f, Values<V>{Listed<V>(x, list, count).values, kBlock}...);
  for (int64_t i = 0; i < count; ++i) z[list[i]] = values[i];
  return n;
}

/// The loops over values, compiled for the processors that the library is made for. All that they call is made a part of
/// them: a loop with a call would not vectorise.
struct Baseline {
  template <class Z, class F, class... V>
  [[gnu::noinline, gnu::flatten]] static void all(Z* z, int64_t n, F f, Values<V>... x) {
    all_values(z, n, f, x...);
  }
  template <class Z, class F, class... V>
  [[gnu::noinline, gnu::flatten]] static int64_t fast(Z* z, int64_t most, F f, Values<V>... x) {
    return fast_values<Baseline>(z, most, f, x...);
  }
};

#if ORDO_MAKES_AVX512
/// Baseline's loops with vectors of twice the width.
struct Avx512 {
  template <class Z, class F, class... V>
  [[gnu::noinline, gnu::flatten, ORDO_AVX512]] static void all(Z* z, int64_t n, F f, Values<V>... x) {
    all_values(z, n, f, x...);
  }
  template <class Z, class F, class... V>
  [[gnu::noinline, gnu::flatten, ORDO_AVX512]] static int64_t fast(Z* z, int64_t most, F f, Values<V>... x) {
    return fast_values<Avx512>(z, most, f, x...);
  }
};
#else
using Avx512 = Baseline;
#endif

/// Whether function_fast_paths.h has one.
template <class F, class... V>
inline constexpr bool kHasFastPath = requires(const F& f, V... x) {
  fast(f, x...);
};

template <class Set, class F, class Z, class... V>
void loop_body(const void* function, void* out, int64_t n, const Values<void>* in) {
  const F f = *static_cast<const F*>(function);
  Z* const z = static_cast<Z*>(out);
  [&]<size_t... K>(std::index_sequence<K...>) {
    if constexpr (kHasFastPath<F, V...>)
      for (int64_t i = 0; i < n;) i += Set::fast(z + i, n - i, f, values_from<V>(in[K], i)...);
    else
      Set::all(z, n, f, values_from<V>(in[K])...);
  }
  (std::index_sequence_for<V...>());
}

/// out = f(in...) of n values; one for all types that have the same values.
using LoopBody = void (*)(const void* f, void* out, int64_t n, const Values<void>* in);
struct LoopBodies {
  LoopBody baseline, avx512;
};
template <class F, class Z, class... V>
inline constexpr LoopBodies kLoopBodies = {loop_body<Baseline, F, Z, V...>, loop_body<Avx512, F, Z, V...>};

/// Compiled once for each N: what differs between functions is the body.
template <int N>
void run_loop(const LoopArgs<N>& args, const Elements& out, const Elements* const (&in)[N], const LoopBodies& bodies,
              const void* f);

/// out = f(in...), R and T being the types of out and in.
template <class R, class... T, class F>
void loop(const LoopArgs<sizeof...(T)>& args, const F& f) {
  run_loop<sizeof...(T)>(args, kElements<R>, {&kElements<T>...}, kLoopBodies<F, math_t<R>, math_t<T>...>, &f);
}
/// loop(); on CUDA functions of a few instructions have a form of their own.
template <class R, class... T, class F>
void short_loop(const LoopArgs<sizeof...(T)>& args, const F& f) {
  loop<R, T...>(args, f);
}

}  // namespace ordo::kernels::cpu
