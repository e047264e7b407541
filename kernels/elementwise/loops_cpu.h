// CPU loops over elementwise functors. A functor is called with values of math_t<T>, what it returns is converted to R.
// Internal: for *.loops.h.
#pragma once

#include <algorithm>
#include <concepts>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/math.h>
#include <ordo/kernels/elementwise/sided.h>
#include <ordo/kernels/elementwise/ternary.h>
#include <ordo/kernels/elementwise/unary.h>

#define ORDO_LOOPS_DEVICE cpu

namespace ordo::kernels::cpu {

inline constexpr int64_t kElementwiseGrain = 32768;

/// Half types go through short rows of floats, so that conversions and arithmetic vectorise one after the other.
inline constexpr int64_t kStretch = 256;
template <class T>
inline constexpr bool kStaged = !std::is_same_v<T, math_t<T>>;

template <class T>
[[gnu::noinline]] void widen(math_t<T>* to, const T* from, int64_t stride, int64_t n) {
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
  else
    for (int64_t i = 0; i < n; ++i) to[i] = from[i * stride];
}
template <class R, class V>
[[gnu::noinline]] void narrow(R* to, int64_t stride, const V* from, int64_t n) {
  if (stride == 1)
    for (int64_t i = 0; i < n; ++i) to[i] = R(from[i]);
  else
    for (int64_t i = 0; i < n; ++i) to[i * stride] = R(from[i]);
}

/// Whether F has a part that takes less, as sided.h says.
template <class F, class... V>
inline constexpr bool kSided = requires(const F& f, V... x) {
  f.near(x...);
};

/// Those elements of x that are listed, and some more of them up to a multiple of kLanes, so that loops end without
/// single ones.
template <class V>
struct Listed {
  static constexpr int64_t kLanes = 16;
  static int64_t whole(int64_t count) { return (count + kLanes - 1) / kLanes * kLanes; }
  V values[kStretch];
  Listed(const V* x, const uint8_t* list, int64_t count) {
    for (int64_t i = 0; i < count; ++i) values[i] = x[list[i]];
    for (int64_t i = count; i < whole(count); ++i) values[i] = values[0];
  }
};

/// One for all half types. The functor is a copy, which no store can change.
template <class Z, class F, class... V>
[[gnu::noinline]] void all_values(Z* z, int64_t n, F f, const V*... x) {
  for (int64_t i = 0; i < n; ++i) z[i] = f(x[i]...);
}

/// Where most of a stretch is near, near() of all of it, and then f() of what is not, side by side.
template <class Z, class F, class... V>
[[gnu::noinline]] void sided_values(Z* z, int64_t n, F f, const V*... x) {
  uint8_t is_far[kStretch], list[kStretch];
  static_assert(kStretch == 256, "a place takes a byte");
  int64_t far = 0, count = 0;
  for (int64_t i = 0; i < n; ++i) is_far[i] = !f.is_near(x[i]...);
  for (int64_t i = 0; i < n; ++i) far += is_far[i];
  if (far > n / 8 * 3) return all_values(z, n, f, x...);
  for (int64_t i = 0; i < n; ++i) z[i] = f.near(x[i]...);
  if (far == 0) return;
  for (int64_t i = 0; i < n; ++i) {  // without a branch
    list[count] = uint8_t(i);
    count += is_far[i];
  }
  Z values[kStretch];
  all_values(values, Listed<Z>::whole(count), f, static_cast<const V*>(Listed<V>(x, list, count).values)...);
  for (int64_t i = 0; i < count; ++i) z[list[i]] = values[i];
}

/// z = f(x...) of a stretch.
template <class F, class... V, class Z>
void staged_values(Z* z, int64_t n, const F& f, const V*... x) {
  if constexpr (kSided<F, V...>)
    sided_values(z, n, f, x...);
  else
    all_values(z, n, f, x...);
}

template <class R, class T, class F>
void staged_row(R* out, const T* a, int64_t n, const F& f) {
  if constexpr (kStaged<T>) {
    float x[kStretch];
    decltype(f(x[0])) y[kStretch];
    for (int64_t start = 0; start < n; start += kStretch) {
      const int64_t count = std::min(kStretch, n - start);
      widen(x, a + start, 1, count);
      staged_values<F, float>(y, count, f, x);
      narrow(out + start, 1, y, count);
    }
  } else {
    for (int64_t start = 0; start < n; start += kStretch)
      staged_values<F, T>(out + start, std::min(kStretch, n - start), f, a + start);
  }
}

/// An operand's part of a row: elements `stride` apart, or where p is null a number.
template <class T>
struct RowOperand {
  const T* p;
  int64_t stride;
  math_t<T> value;
};

template <class R, class T, class F>
void staged_row(R* out, int64_t stride, const RowOperand<T>& a, const RowOperand<T>& b, int64_t n, const F& f) {
  using V = math_t<T>;
  V x[kStretch], y[kStretch];
  decltype(f(x[0], y[0])) z[kStretch];
  // A single value is written once.
  const auto is_one = [](const RowOperand<T>& o) { return o.p == nullptr || o.stride == 0; };
  const auto fill = [&](V* to, const RowOperand<T>& o) {
    std::fill_n(to, std::min(kStretch, n), o.p ? V(*o.p) : o.value);
  };
  if (is_one(a)) fill(x, a);
  if (is_one(b)) fill(y, b);
  // What lies side by side already is read, and written, where it is.
  const auto row = [&](V* to, const RowOperand<T>& o, int64_t start, int64_t count) -> const V* {
    if (is_one(o)) return to;
    if constexpr (!kStaged<T>)
      if (o.stride == 1) return o.p + start;
    widen(to, o.p + start * o.stride, o.stride, count);
    return to;
  };
  using Z = std::remove_reference_t<decltype(z[0])>;
  const void* const to = out;
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    const V *const u = row(x, a, start, count), *const v = row(y, b, start, count);
    if constexpr (std::is_same_v<R, Z>)
      if (stride == 1 && to != a.p && to != b.p) {
        staged_values<F, V, V>(out + start, count, f, u, v);
        continue;
      }
    staged_values<F, V, V>(z, count, f, u, v);
    narrow(out + start * stride, stride, z, count);
  }
}

template <class R, class T, class F>
void binary_row(R* out, int64_t stride, const RowOperand<T>& a, const RowOperand<T>& b, int64_t n, F f) {
  const T *x = a.p ? a.p : &a.value, *y = b.p ? b.p : &b.value;
  const int64_t sx = a.p ? a.stride : 0, sy = b.p ? b.stride : 0;
  if (stride == 1 && sx == 1 && sy == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = R(f(x[i], y[i]));
  } else if (stride == 1 && sx == 1 && sy == 0) {
    const T value = *y;
    for (int64_t i = 0; i < n; ++i) out[i] = R(f(x[i], value));
  } else if (stride == 1 && sx == 0 && sy == 1) {
    const T value = *x;
    for (int64_t i = 0; i < n; ++i) out[i] = R(f(value, y[i]));
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * stride] = R(f(x[i * sx], y[i * sy]));
  }
}

template <class R, class T, class F>
void unary_loop(const UnaryArgs& args, const F& f) {
  R* out = static_cast<R*>(args.out);
  const T* in = static_cast<const T*>(args.in);
  parallel_for(0, args.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    const Sided<F> g{f};  // a copy: no store can change its numbers
    if constexpr (kStaged<T> || kSided<Sided<F>, math_t<T>>)
      staged_row(out + first, in + first, last - first, g);
    else
      for (int64_t i = first; i < last; ++i) out[i] = R(g(in[i]));
  });
}

template <class F, class Test, class G>
struct WithPart : F {
  Test is_near;
  G near;
};
/// out = f(in). Where test() is true, g gives the same bits, and vectorises.
template <class T, class F, class Test, class G>
void unary_loop_in_stretches(const UnaryArgs& args, const F& f, const Test& test, const G& g) {
  unary_loop<T, T>(args, WithPart<F, Test, G>{f, test, g});
}

/// Rows of three operands side by side; what lies otherwise, and what is not math_t, goes through short rows.
template <class T, class F>
void ternary_loop(const TernaryArgs& args, F f) {
  using V = math_t<T>;
  const Layout<4>& l = args.layout;
  const T* const operands[3] = {static_cast<const T*>(args.a), static_cast<const T*>(args.b),
                                static_cast<const T*>(args.c)};
  const V number = scalar_as<T>(args.c_value);
  parallel_for(0, l.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[4], int64_t n) {
      T* out = static_cast<T*>(args.out) + at[0];
      if constexpr (!kStaged<T>)
        if (operands[2] && l.strides[1][0] == 1 && l.strides[2][0] == 1 && l.strides[3][0] == 1) {
          const T *a = operands[0] + at[1], *b = operands[1] + at[2], *c = operands[2] + at[3];
          const F g = f;  // no store can change its number
          for (int64_t i = 0; i < n; ++i) out[i] = g(a[i], b[i], c[i]);
          return;
        }
      V x[3][kStretch], y[kStretch];
      for (int64_t start = 0; start < n; start += kStretch) {
        const int64_t count = std::min(kStretch, n - start);
        for (int k = 0; k < 3; ++k) {
          const int64_t stride = l.strides[k + 1][0];
          if (!operands[k] || stride == 0) {  // one value, written once
            if (start == 0) std::fill_n(x[k], count, operands[k] ? V(operands[k][at[k + 1]]) : number);
          } else {
            widen(x[k], operands[k] + at[k + 1] + start * stride, stride, count);
          }
        }
        for (int64_t i = 0; i < count; ++i) y[i] = f(x[0][i], x[1][i], x[2][i]);
        narrow(out + start, 1, y, count);
      }
    });
  });
}

template <bool kGathers, class R, class T, class F>
void binary_loop_over(const BinaryArgs& args, const F& f) {
  const Layout<3>& l = args.layout;
  R* out = static_cast<R*>(args.out);
  const T* a = static_cast<const T*>(args.a);
  const T* b = static_cast<const T*>(args.b);
  const math_t<T> a_value = scalar_as<T>(args.a_value), b_value = scalar_as<T>(args.b_value);
  parallel_for(0, l.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[3], int64_t n) {
      const RowOperand<T> x{a ? a + at[1] : nullptr, l.strides[1][0], a_value};
      const RowOperand<T> y{b ? b + at[2] : nullptr, l.strides[2][0], b_value};
      if constexpr (kGathers || kStaged<T>)
        staged_row(out + at[0], l.strides[0][0], x, y, n, f);
      else
        binary_row(out + at[0], l.strides[0][0], x, y, n, f);
    });
  });
}

template <class R, class T, class F>
void binary_loop(const BinaryArgs& args, const F& f) {
  binary_loop_over<kSided<Sided<F>, math_t<T>, math_t<T>>, R, T>(args, Sided<F>{f});
}
/// For functions that take longer than it does to gather their operands: one loop instead of one for each kind of row,
/// shared by float and the half types.
template <class R, class T, class F>
void gathering_binary_loop(const BinaryArgs& args, const F& f) {
  binary_loop_over<true, R, T>(args, Sided<F>{f});
}

/// The same, for functions of quotients of which moderate ones take less.
template <class F>
struct OfQuotients : F {
  template <std::same_as<float> V>
  bool is_near(V a, V b) const {
    return ordo::math::is_moderate_quotient(a, b);
  }
  template <std::same_as<float> V>
  V near(V a, V b) const {
    return F::moderate(a, b);
  }
};
template <class R, class T, class F>
void quotient_loop(const BinaryArgs& args, const F& f) {
  binary_loop_over<true, R, T>(args, OfQuotients<F>{f});
}

}  // namespace ordo::kernels::cpu
