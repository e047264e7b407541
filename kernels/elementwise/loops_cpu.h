// CPU loops over elementwise functors. A functor is called with values of math_t<T>, what it returns is converted to R.
// Internal: for the .cpp files of this folder.
#pragma once

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/unary.h>

namespace ordo::kernels::cpu {

inline constexpr int64_t kElementwiseGrain = 32768;

// Ways to read operand i of a row.
template <class T>
struct Consecutive {
  const T* p;
  math_t<T> operator[](int64_t i) const { return p[i]; }
};
template <class T>
struct Strided {
  const T* p;
  int64_t stride;
  math_t<T> operator[](int64_t i) const { return p[i * stride]; }
};
template <class T>
struct Repeated {
  math_t<T> value;
  math_t<T> operator[](int64_t) const { return value; }
};

template <class R, class A, class B, class F>
void binary_row(R* out, A a, B b, int64_t n, const F& f) {
  for (int64_t i = 0; i < n; ++i) out[i] = R(f(a[i], b[i]));
}
template <class R, class A, class B, class F>
void binary_row_strided(R* out, int64_t stride, A a, B b, int64_t n, const F& f) {
  for (int64_t i = 0; i < n; ++i) out[i * stride] = R(f(a[i], b[i]));
}

/// Half types go through short rows of floats, so that conversions and arithmetic vectorise one after the other.
inline constexpr int64_t kStretch = 256;
template <class T>
inline constexpr bool kStaged = !std::is_same_v<T, math_t<T>>;

template <class T>
void widen(math_t<T>* to, const T* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = from[i];
}
template <class R, class V>
void narrow(R* to, const V* from, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = R(from[i]);
}

template <class R, class T, class F>
void staged_row(R* out, const T* a, int64_t n, const F& f) {
  float x[kStretch];
  decltype(f(x[0])) y[kStretch];
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    widen(x, a + start, count);
    for (int64_t i = 0; i < count; ++i) y[i] = f(x[i]);
    narrow(out + start, y, count);
  }
}

template <class R, class T, class F>
void staged_row(R* out, const T* a, const T* b, int64_t n, const F& f) {
  float x[kStretch], y[kStretch];
  decltype(f(x[0], y[0])) z[kStretch];
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    widen(x, a + start, count);
    widen(y, b + start, count);
    for (int64_t i = 0; i < count; ++i) z[i] = f(x[i], y[i]);
    narrow(out + start, z, count);
  }
}

template <class R, class T, class F>
void unary_loop(const UnaryArgs& args, const F& f) {
  R* out = static_cast<R*>(args.out);
  const T* in = static_cast<const T*>(args.in);
  parallel_for(0, args.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    if constexpr (kStaged<T>)
      staged_row(out + first, in + first, last - first, f);
    else
      for (int64_t i = first; i < last; ++i) out[i] = R(f(in[i]));
  });
}

template <class R, class T, class F>
void binary_loop(const BinaryArgs& args, const F& f) {
  const Layout<3>& l = args.layout;
  R* out = static_cast<R*>(args.out);
  const T* a = static_cast<const T*>(args.a);
  const T* b = static_cast<const T*>(args.b);
  const int64_t so = l.strides[0][0], sa = l.strides[1][0], sb = l.strides[2][0];
  const math_t<T> a_value = scalar_as<T>(args.a_value), b_value = scalar_as<T>(args.b_value);
  parallel_for(0, l.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    for_rows(l, first, last, [&](const int64_t(&at)[3], int64_t n) {
      R* o = out + at[0];
      if (sb == 0) {
        const Repeated<T> y{b ? math_t<T>(b[at[2]]) : b_value};
        if (so == 1 && sa == 1) {
          if constexpr (kStaged<T>)
            return staged_row(o, a + at[1], n, [&](math_t<T> x) { return f(x, y.value); });
          else
            return binary_row(o, Consecutive<T>{a + at[1]}, y, n, f);
        }
        if (!a) return binary_row_strided(o, so, Repeated<T>{a_value}, y, n, f);
        return binary_row_strided(o, so, Strided<T>{a + at[1], sa}, y, n, f);
      }
      if (sa == 0) {
        const Repeated<T> x{a ? math_t<T>(a[at[1]]) : a_value};
        if (so == 1 && sb == 1) {
          if constexpr (kStaged<T>)
            return staged_row(o, b + at[2], n, [&](math_t<T> y) { return f(x.value, y); });
          else
            return binary_row(o, x, Consecutive<T>{b + at[2]}, n, f);
        }
        return binary_row_strided(o, so, x, Strided<T>{b + at[2], sb}, n, f);
      }
      if (so == 1 && sa == 1 && sb == 1) {
        if constexpr (kStaged<T>)
          return staged_row(o, a + at[1], b + at[2], n, f);
        else
          return binary_row(o, Consecutive<T>{a + at[1]}, Consecutive<T>{b + at[2]}, n, f);
      }
      binary_row_strided(o, so, Strided<T>{a + at[1], sa}, Strided<T>{b + at[2], sb}, n, f);
    });
  });
}

}  // namespace ordo::kernels::cpu
