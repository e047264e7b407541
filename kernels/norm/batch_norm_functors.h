// The formulas of batch normalisation; shared by both devices. A is the accumulation type, T that of the values.
#pragma once

#include <ordo/kernels/norm/batch_norm.h>
#include <ordo/kernels/reduce/reduce_shape.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// One output per channel.
inline ReduceShape channel_reduction(const BatchNormShape& s) {
  return reduce_shape({s.batch, s.channels, s.inner}, {s.channels * s.inner, s.inner, 1}, 0b101);
}

template <class A>
A* data_or_null(const Tensor& t) {
  return t.defined() ? t.data<A>() : nullptr;
}

/// Statistics: per channel, of the batch or the running ones.
template <class A>
struct BatchNormStats {
  A *mean, *invstd, *running_mean, *running_var;
  A count, momentum, eps;
  BatchNormStats(const BatchNormShape& s, const BatchNormTensors& p, const BatchNormResult& r)
      : mean(r.mean.data<A>()),
        invstd(r.invstd.data<A>()),
        running_mean(data_or_null<A>(p.running_mean)),
        running_var(data_or_null<A>(p.running_var)),
        count(A(s.count())),
        momentum(A(s.momentum)),
        eps(A(s.eps)) {}
  ORDO_HD A moved(A old, A now) const { return (A(1) - momentum) * old + momentum * now; }
  ORDO_HD void set_mean(int64_t c, A sum) const {
    mean[c] = sum / count;
    if (running_mean) running_mean[c] = moved(running_mean[c], mean[c]);
  }
  ORDO_HD void set_variance(int64_t c, A squares) const {
    invstd[c] = A(1) / math::sqrt(squares / count + eps);
    if (running_var) running_var[c] = moved(running_var[c], squares / (count - A(1)));
  }
  /// Not training: from the running ones.
  ORDO_HD void operator()(int64_t c) const {
    mean[c] = running_mean[c];
    invstd[c] = A(1) / math::sqrt(running_var[c] + eps);
  }
};

template <class T>
struct BatchNormMean : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  BatchNormStats<A> stats;
  BatchNormMean(const T* x, const BatchNormStats<A>& stats) : x(x), stats(stats) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(x[offset]); }
  ORDO_HD void store(int64_t c, A s) const { stats.set_mean(c, s); }
};

template <class T>
struct BatchNormVariance : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* x;
  BatchNormStats<A> stats;
  const A* mean;
  BatchNormVariance(const T* x, const BatchNormStats<A>& stats) : x(x), stats(stats), mean(stats.mean) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t c) const {
    const A d = A(x[offset]) - mean[c];
    return d * d;
  }
  ORDO_HD void store(int64_t c, A s) const { stats.set_variance(c, s); }
};

/// (x - mean) (invstd weight) + bias
template <class T>
struct BatchNormApply {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  const A *mean, *invstd, *weight, *bias;
  int64_t channels, inner;
  BatchNormApply(const BatchNormShape& s, const Tensor& x, const BatchNormTensors& p, const BatchNormResult& r)
      : x(x.data<T>()),
        out(r.out.data<T>()),
        mean(r.mean.data<A>()),
        invstd(r.invstd.data<A>()),
        weight(data_or_null<A>(p.weight)),
        bias(data_or_null<A>(p.bias)),
        channels(s.channels),
        inner(s.inner) {}
  ORDO_HD A scale(int64_t c) const { return weight ? invstd[c] * weight[c] : invstd[c]; }
  ORDO_HD A shift(int64_t c) const { return bias ? bias[c] : A(0); }
  static ORDO_HD T value(T x, A mean, A scale, A shift) { return T((A(x) - mean) * scale + shift); }
  ORDO_HD void operator()(int64_t i) const {
    const int64_t c = i / inner % channels;
    out[i] = value(x[i], mean[c], scale(c), shift(c));
  }
};

/// sum of g, and sum of g (x - mean)
template <class T>
struct BatchNormGradSum : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T* grad;
  A* sums;
  BatchNormGradSum(const T* grad, A* sums) : grad(grad), sums(sums) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t) const { return A(grad[offset]); }
  ORDO_HD void store(int64_t c, A s) const { sums[c] = s; }
};
template <class T>
struct BatchNormGradDot : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A* mean;
  A* sums;
  BatchNormGradDot(const T* grad, const T* x, const A* mean, A* sums) : grad(grad), x(x), mean(mean), sums(sums) {}
  ORDO_HD A load(int64_t offset, int64_t, int64_t c) const { return A(grad[offset]) * (A(x[offset]) - mean[c]); }
  ORDO_HD void store(int64_t c, A s) const { sums[c] = s; }
};

/// dx = (g - sum(g) / n - (x - mean) invstd^2 dot / n) (invstd weight), without the middle when not training;
/// dweight = dot invstd; dbias = sum(g).
template <class T>
struct BatchNormBackward {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A *mean, *invstd, *weight, *sum, *dot;
  T* out;
  A *weight_out, *bias_out;
  A count;
  bool training;
  int64_t channels, inner;
  struct Channel {
    A mean, shift, slope, scale;
    bool training;
  };
  ORDO_HD Channel channel(int64_t c) const {
    const A scale = weight ? invstd[c] * weight[c] : invstd[c];
    if (!training) return {mean[c], A(0), A(0), scale, false};
    return {mean[c], sum[c] / count, invstd[c] * invstd[c] * (dot[c] / count), scale, true};
  }
  static ORDO_HD T value(T grad, T x, const Channel& k) {
    // Not training: the zero that (x - mean) slope is, also where x or mean is infinite or NaN.
    const A along = k.training ? (A(x) - k.mean) * k.slope : A(x) < k.mean ? A(-0.0) : A(0);
    return T((A(grad) - k.shift - along) * k.scale);
  }
  ORDO_HD void operator()(int64_t i) const { out[i] = value(grad[i], x[i], channel(i / inner % channels)); }
  ORDO_HD void parameters(int64_t c) const {
    if (weight_out) weight_out[c] = dot[c] * invstd[c];
    if (bias_out) bias_out[c] = sum[c];
  }
};
template <class T>
struct BatchNormParameters {
  BatchNormBackward<T> b;
  ORDO_HD void operator()(int64_t c) const { b.parameters(c); }
};

template <class T>
BatchNormBackward<T> batch_norm_backward_functor(const BatchNormShape& s, const Tensor& grad, const Tensor& x,
                                                 const Tensor& weight, const BatchNormResult& saved,
                                                 const BatchNormGradients& out, accumulate_t<T>* sums) {
  using A = accumulate_t<T>;
  return {grad.data<T>(),
          x.data<T>(),
          saved.mean.data<A>(),
          saved.invstd.data<A>(),
          data_or_null<A>(weight),
          sums,
          sums + s.channels,
          data_or_null<T>(out.input),
          data_or_null<A>(out.weight),
          data_or_null<A>(out.bias),
          A(s.count()),
          s.training,
          s.channels,
          s.inner};
}

}  // namespace ordo::kernels
