// The formulas of layer_norm and rms_norm; shared by both devices. A is the accumulation type, T that of the values.
#pragma once

#include <ordo/engine/divisor.h>
#include <ordo/kernels/norm/layer_norm.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// One output per row, and one per column.
inline ReduceShape row_reduction(const RowNormShape& s) {
  return reduce_shape({s.rows, s.columns}, {s.columns, 1}, 0b10);
}
inline ReduceShape column_reduction(const RowNormShape& s) {
  return reduce_shape({s.rows, s.columns}, {s.columns, 1}, 0b01);
}

template <class A>
A* values_or_null(const Tensor& t) {
  return t.defined() ? t.data<A>() : nullptr;
}

/// The sum of (x - mean)^2, stored as 1 / sqrt(sum / n + eps).
template <class T>
struct RowScale : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  const A* mean;
  A* invstd;
  A count, eps;
  RowScale(const RowNormShape& s, const T* x, const RowNormResult& r)
      : x(x), mean(r.mean.data<A>()), invstd(r.invstd.data<A>()), count(A(s.columns)), eps(A(s.eps)) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t row) const {
    const A d = A(x[offset]) - mean[row];
    return d * d;
  }
  ORDO_HD void store(int64_t row, A s) const { invstd[row] = A(1) / math::sqrt(s / count + eps); }
};

/// ((x - mean) invstd) weight + bias
template <class T>
struct RowNormApply {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  const A *mean, *invstd, *weight, *bias;
  Divisor columns;
  RowNormApply(const RowNormShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, const RowNormResult& r)
      : x(x.data<T>()),
        out(r.out.data<T>()),
        mean(r.mean.data<A>()),
        invstd(r.invstd.data<A>()),
        weight(values_or_null<A>(weight)),
        bias(values_or_null<A>(bias)),
        columns(s.columns) {}
  ORDO_HD T value(T x, A mean, A invstd, int64_t column) const {
    A y = (A(x) - mean) * invstd;
    if (weight) y = y * weight[column];
    if (bias) y = y + bias[column];
    return T(y);
  }
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = columns.quotient(i);
    out[i] = value(x[i], mean[row], invstd[row], i - row * columns.value);
  }
};

/// The sums of h and of h (x - mean) over a row, h being the gradient times the weight.
template <class T, bool kDot>
struct RowGradSum : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A *weight, *mean;
  A* sums;
  RowGradSum(const T* grad, const T* x, const A* weight, const A* mean, A* sums)
      : grad(grad), x(x), weight(weight), mean(mean), sums(sums) {}
  ORDO_HD A load(int64_t offset, int64_t column, int64_t row) const {
    const A h = weight ? A(grad[offset]) * weight[column] : A(grad[offset]);
    if constexpr (kDot)
      return h * (A(x[offset]) - mean[row]);
    else
      return h;
  }
  ORDO_HD void store(int64_t row, A s) const { sums[row] = s; }
};

/// dx = (h - sum(h) / n - (x - mean) invstd^2 dot / n) invstd; rms_norm has no sum(h).
template <class T>
struct RowNormBackward {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A *weight, *mean, *invstd, *sum, *dot;
  T* out;
  A count;
  bool centered;
  Divisor columns;
  struct Row {
    A mean, shift, slope, scale;
  };
  ORDO_HD Row row(int64_t r) const {
    return {mean[r], centered ? sum[r] / count : A(0), invstd[r] * invstd[r] * (dot[r] / count), invstd[r]};
  }
  ORDO_HD T value(T grad, T x, const Row& k, int64_t column) const {
    const A h = weight ? A(grad) * weight[column] : A(grad);
    return T((h - k.shift - (A(x) - k.mean) * k.slope) * k.scale);
  }
  ORDO_HD void operator()(int64_t i) const {
    const int64_t r = columns.quotient(i);
    out[i] = value(grad[i], x[i], row(r), i - r * columns.value);
  }
};

/// The gradient of a weight: the sum of grad ((x - mean) invstd) over the rows.
template <class T>
struct ColumnWeightGrad : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A *mean, *invstd;
  A* out;
  ColumnWeightGrad(const T* grad, const T* x, const A* mean, const A* invstd, A* out)
      : grad(grad), x(x), mean(mean), invstd(invstd), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t row, int64_t) const {
    return A(grad[offset]) * ((A(x[offset]) - mean[row]) * invstd[row]);
  }
  ORDO_HD void store(int64_t column, A s) const { out[column] = s; }
};

/// The gradient of a bias: the sum of grad over the rows.
template <class T>
struct ColumnBiasGrad : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* grad;
  A* out;
  ColumnBiasGrad(const T* grad, A* out) : grad(grad), out(out) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(grad[offset]); }
  ORDO_HD void store(int64_t column, A s) const { out[column] = s; }
};

template <class T>
RowNormBackward<T> row_norm_backward_functor(const RowNormShape& s, const Tensor& grad, const Tensor& x,
                                             const Tensor& weight, const RowNormResult& saved,
                                             const RowNormGradients& out, const accumulate_t<T>* sums) {
  using A = accumulate_t<T>;
  return {grad.data<T>(),
          x.data<T>(),
          values_or_null<A>(weight),
          saved.mean.data<A>(),
          saved.invstd.data<A>(),
          sums,
          sums + s.rows,
          values_or_null<T>(out.input),
          A(s.columns),
          s.centered,
          Divisor(s.columns)};
}

}  // namespace ordo::kernels
