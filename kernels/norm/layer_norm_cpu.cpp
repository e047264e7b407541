#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/kernels/norm/layer_norm_functors.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// A row's values are read several times, and stay in its thread's cache. With fewer rows than threads every pass goes
/// over all of them. The sums, and so the bits, are the same.
bool row_by_row(const RowNormShape& s) { return s.rows >= num_threads(); }

template <class F>
void for_rows(const RowNormShape& s, const F& row) {
  parallel_for(0, s.rows, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, s.columns)),
               [&](int64_t first, int64_t last) {
                 for (int64_t r = first; r < last; ++r) row(r);
               });
}

template <class R>
void reduce_row(const R& r, const ReduceShape& g, int64_t row) {
  r.store(row, reduce_one(r, g, row));
}

template <class T>
void apply_row(const RowNormApply<T>& apply, int64_t row, int64_t first, int64_t last) {
  const auto mean = apply.mean[row], invstd = apply.invstd[row];
  const int64_t at = row * apply.columns.value;
  const T* x = apply.x + at;
  T* out = apply.out + at;
  for (int64_t i = first; i < last; ++i) out[i] = apply.value(x[i], mean, invstd, i);
}

template <class T>
void backward_row(const RowNormBackward<T>& b, int64_t row, int64_t first, int64_t last) {
  const auto k = b.row(row);
  const int64_t at = row * b.columns.value;
  const T *x = b.x + at, *grad = b.grad + at;
  T* out = b.out + at;
  for (int64_t i = first; i < last; ++i) out[i] = b.value(grad[i], x[i], k, i);
}

/// For few rows: each is cut among the threads.
template <class F>
void for_parts(const RowNormShape& s, const F& part) {
  for (int64_t row = 0; row < s.rows; ++row)
    parallel_for(0, s.columns, 16384, [&](int64_t first, int64_t last) { part(row, first, last); });
}

}  // namespace

void row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
              const RowNormResult& r) {
  dispatch_floating("layer_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const MeanReducer<T, A> mean(input.data<T>(), r.mean.data<A>(), s.columns);
    const RowScale<T> scale(s, input.data<T>(), r);
    const RowNormApply<T> apply(s, input, weight, bias, r);
    const ReduceShape g = row_reduction(s);
    if (row_by_row(s)) {
      for_rows(s, [&](int64_t row) {
        if (s.centered) reduce_row(mean, g, row);
        reduce_row(scale, g, row);
        apply_row(apply, row, 0, s.columns);
      });
      return;
    }
    if (s.centered) reduce(mean, g);
    reduce(scale, g);
    for_parts(s, [&](int64_t row, int64_t first, int64_t last) { apply_row(apply, row, first, last); });
  });
}

void row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const RowNormResult& saved, const RowNormGradients& out) {
  dispatch_floating("layer_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> sums(2 * s.rows, ordo::cpu);
    const auto b = row_norm_backward_functor<T>(s, grad, input, weight, saved, out, sums.data());
    const RowGradSum<T, false> sum(b.grad, b.x, b.weight, b.mean, sums.data());
    const RowGradSum<T, true> dot(b.grad, b.x, b.weight, b.mean, sums.data() + s.rows);
    const ReduceShape g = row_reduction(s);
    if (b.out && row_by_row(s)) {
      for_rows(s, [&](int64_t row) {
        if (s.centered) reduce_row(sum, g, row);
        reduce_row(dot, g, row);
        backward_row(b, row, 0, s.columns);
      });
    } else if (b.out) {
      if (s.centered) reduce(sum, g);
      reduce(dot, g);
      for_parts(s, [&](int64_t row, int64_t first, int64_t last) { backward_row(b, row, first, last); });
    }
    const ReduceShape columns = column_reduction(s);
    if (out.weight.defined()) reduce(ColumnWeightGrad<T>(b.grad, b.x, b.mean, b.invstd, out.weight.data<A>()), columns);
    if (out.bias.defined()) reduce(ColumnBiasGrad<T>(b.grad, out.bias.data<A>()), columns);
  });
}

}  // namespace ordo::kernels::cpu
