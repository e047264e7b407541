#include <ordo/engine/dispatch.h>
#include <ordo/kernels/reduce/reduce_cpu.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/softmax/softmax_formulas.h>

namespace ordo::kernels::cpu {
namespace {

/// Calls f(offset of the row's first value, shape, line, terms) for every row. `line` and `terms` hold `length` values
/// each, and `shape` is theirs.
template <class A, class F>
void rows(const SoftmaxShape& s, const F& f) {
  const int64_t grain = std::max<int64_t>(1, 4096 / s.length);
  const ReduceShape shape = reduce_line(s.length);
  parallel_for(0, s.outer * s.inner, grain, [&](int64_t first, int64_t last) {
    const Scratch<A> scratch(2 * s.length, ordo::cpu);
    for (int64_t row = first; row < last; ++row)
      f(row / s.inner * s.length * s.inner + row % s.inner, shape, scratch.data(), scratch.data() + s.length);
  });
}

template <class A, class T>
void load_line(const SoftmaxShape& s, const T* x, A* line) {
  if (s.inner == 1)
    for (int64_t i = 0; i < s.length; ++i) line[i] = A(x[i]);
  else
    for (int64_t i = 0; i < s.length; ++i) line[i] = A(x[i * s.inner]);
}

template <class A>
A sum_of(const A* terms, const ReduceShape& shape) {
  return reduce_one(SumReducer<A>(terms, nullptr), shape, 0);
}

template <class T, bool kLog>
void run(const SoftmaxShape& s, const T* x, T* out) {
  using A = accumulate_t<T>;
  using Formula = SoftmaxFormula<T, kLog>;
  rows<A>(s, [&](int64_t at, const ReduceShape& shape, A* line, A* terms) {
    load_line(s, x + at, line);
    const A max = reduce_one(ExtremumReducer<A, true>{line, nullptr}, shape, 0);
    for (int64_t i = 0; i < s.length; ++i) terms[i] = Formula::term(line[i], max);
    const A sum = sum_of(terms, shape);
    T* y = out + at;
    if constexpr (kLog) {
      const A finished = Formula::finish(sum);
      for (int64_t i = 0; i < s.length; ++i) y[i * s.inner] = Formula::result(line[i], max, finished);
    } else {
      for (int64_t i = 0; i < s.length; ++i) y[i * s.inner] = T(terms[i] / sum);
    }
  });
}

template <class T, bool kLog>
void run_backward(const SoftmaxShape& s, const T* grad, const T* result, T* out) {
  using A = accumulate_t<T>;
  using Gradient = SoftmaxGradient<T, kLog>;
  rows<A>(s, [&](int64_t at, const ReduceShape& shape, A* line, A* terms) {
    load_line(s, grad + at, line);
    const T* y = result + at;
    for (int64_t i = 0; i < s.length; ++i) terms[i] = Gradient::term(line[i], A(y[i * s.inner]));
    const A sum = sum_of(terms, shape);
    T* dx = out + at;
    for (int64_t i = 0; i < s.length; ++i) dx[i * s.inner] = Gradient::result(line[i], A(y[i * s.inner]), sum);
  });
}

}  // namespace

void softmax(bool log, const SoftmaxShape& s, const Tensor& t, const Tensor& out) {
  dispatch_floating("softmax", t.dtype(), [&]<class T>() {
    log ? run<T, true>(s, t.data<T>(), out.data<T>()) : run<T, false>(s, t.data<T>(), out.data<T>());
  });
}

void softmax_backward(bool log, const SoftmaxShape& s, const Tensor& grad, const Tensor& result, const Tensor& out) {
  dispatch_floating("softmax", result.dtype(), [&]<class T>() {
    const T *g = grad.data<T>(), *y = result.data<T>();
    log ? run_backward<T, true>(s, g, y, out.data<T>()) : run_backward<T, false>(s, g, y, out.data<T>());
  });
}

}  // namespace ordo::kernels::cpu
