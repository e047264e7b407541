// CPU loops over elementwise functors. A functor is called with values of math_t<T>, what it returns is converted to R.
// Internal: for *.loops.h.
#pragma once

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/elementwise/binary.h>
#include <ordo/kernels/elementwise/convert.h>
#include <ordo/kernels/elementwise/math.h>
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

/// One for all half types. The functor is a copy, which no store can change.
template <class V, class F>
[[gnu::noinline]] void staged_values(V* z, const float* x, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) z[i] = f(x[i]);
}
template <class Z, class V, class F>
[[gnu::noinline]] void staged_values(Z* z, const V* x, const V* y, int64_t n, F f) {
  if constexpr (requires { f.all_moderate(x, y, n); })
    if (f.all_moderate(x, y, n)) {
      for (int64_t i = 0; i < n; ++i) z[i] = f.moderate(x[i], y[i]);
      return;
    }
  for (int64_t i = 0; i < n; ++i) z[i] = f(x[i], y[i]);
}

template <class R, class T, class F>
void staged_row(R* out, const T* a, int64_t n, const F& f) {
  float x[kStretch];
  decltype(f(x[0])) y[kStretch];
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    widen(x, a + start, 1, count);
    staged_values(y, x, count, f);
    narrow(out + start, 1, y, count);
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
  for (int64_t start = 0; start < n; start += kStretch) {
    const int64_t count = std::min(kStretch, n - start);
    if (!is_one(a)) widen(x, a.p + start * a.stride, a.stride, count);
    if (!is_one(b)) widen(y, b.p + start * b.stride, b.stride, count);
    staged_values(z, x, y, count, f);
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
    const F g = f;  // no store can change its numbers
    if constexpr (kStaged<T>)
      staged_row(out + first, in + first, last - first, g);
    else
      for (int64_t i = first; i < last; ++i) out[i] = R(g(in[i]));
  });
}

/// out = f(in). Where test() is true of all of a stretch, g gives the same bits, and vectorises.
template <class T, class F, class Test, class G>
void unary_loop_in_stretches(const UnaryArgs& args, const F& f, const Test& test, const G& g) {
  T* out = static_cast<T*>(args.out);
  const T* in = static_cast<const T*>(args.in);
  parallel_for(0, args.numel, kElementwiseGrain, [&](int64_t first, int64_t last) {
    for (int64_t start = first; start < last; start += kStretch) {
      const int64_t end = std::min(start + kStretch, last);
      bool other = false;
      for (int64_t i = start; i < end; ++i) other |= !test(math_t<T>(in[i]));
      if (other)
        for (int64_t i = start; i < end; ++i) out[i] = T(f(math_t<T>(in[i])));
      else
        for (int64_t i = start; i < end; ++i) out[i] = T(g(math_t<T>(in[i])));
    }
  });
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
  binary_loop_over<false, R, T>(args, f);
}
/// For functions that take longer than it does to gather their operands: one loop instead of one for each kind of row,
/// shared by float and the half types.
template <class R, class T, class F>
void gathering_binary_loop(const BinaryArgs& args, const F& f) {
  binary_loop_over<true, R, T>(args, f);
}

/// The same, for functions of quotients of which moderate ones take less.
template <class F>
struct OfQuotients : F {
  bool all_moderate(const float* x, const float* y, int64_t n) const {
    bool other = false;
    for (int64_t i = 0; i < n; ++i) other |= !ordo::math::is_moderate_quotient(x[i], y[i]);
    return !other;
  }
};
template <class R, class T, class F>
void quotient_loop(const BinaryArgs& args, const F& f) {
  binary_loop_over<true, R, T>(args, OfQuotients<F>{f});
}

}  // namespace ordo::kernels::cpu
