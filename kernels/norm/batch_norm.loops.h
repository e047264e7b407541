// batch_norm. A is the accumulation type, T that of the values.
#pragma once

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/norm/norm.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// Statistics: per channel, of the batch or the running ones.
template <class A>
struct BatchNormStats {
  A *mean, *invstd, *running_mean, *running_var;
  A count, momentum, eps;
  BatchNormStats(const BatchNormShape& s, const BatchNormTensors& p, const NormResult& r)
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
struct BatchNormMean : ElementSum<T> {
  using A = accumulate_t<T>;
  BatchNormStats<A> stats;
  BatchNormMean(const T* x, const BatchNormStats<A>& stats) : ElementSum<T>(x), stats(stats) {}
  ORDO_HD void store(int64_t c, A s) const { stats.set_mean(c, s); }
};

template <class T>
struct BatchNormVariance : CenteredSquares<T> {
  using A = accumulate_t<T>;
  BatchNormStats<A> stats;
  BatchNormVariance(const T* x, const BatchNormStats<A>& stats) : CenteredSquares<T>(x, stats.mean), stats(stats) {}
  ORDO_HD void store(int64_t c, A s) const { stats.set_variance(c, s); }
};

/// (x - mean) (invstd weight) + bias
template <class T>
struct BatchNormMap {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  const A *mean, *invstd, *weight, *bias;
  struct Channel {
    A mean, scale, shift;
  };
  ORDO_HD Channel row(int64_t c) const {
    return {mean[c], weight ? invstd[c] * weight[c] : invstd[c], bias ? bias[c] : A(0)};
  }
  ORDO_HD T value(const Channel& k, int64_t at, int64_t) const { return T((A(x[at]) - k.mean) * k.scale + k.shift); }
};

/// The sum of g (x - mean), and times invstd the gradient of the weight.
template <class T>
struct BatchNormDot : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  static constexpr bool kAlone = true;
  const T *grad, *x;
  const A *mean, *invstd;
  A *sums, *weight;
  ORDO_HD A load(int64_t offset, int64_t, int64_t c) const { return A(grad[offset]) * (A(x[offset]) - mean[c]); }
  ORDO_HD void store(int64_t c, A s) const { sums[c] = s, weight[c] = s * invstd[c]; }
};

/// dx = (g - sum(g) / n - (x - mean) invstd^2 dot / n) (invstd weight), without the middle when not training.
template <class T>
struct BatchNormBackward {
  using A = accumulate_t<T>;
  const T *grad, *x;
  T* out;
  const A *mean, *invstd, *weight, *sum, *dot;
  A count;
  bool training;
  struct Channel {
    A mean, shift, slope, scale;
  };
  ORDO_HD Channel row(int64_t c) const {
    const A scale = weight ? invstd[c] * weight[c] : invstd[c];
    if (!training) return {mean[c], A(0), A(0), scale};
    return {mean[c], sum[c] / count, invstd[c] * invstd[c] * (dot[c] / count), scale};
  }
  ORDO_HD T value(const Channel& k, int64_t at, int64_t) const {
    // Not training: the zero that (x - mean) slope is, also where x or mean is infinite or NaN.
    const A along = training ? (A(x[at]) - k.mean) * k.slope : A(x[at]) < k.mean ? A(-0.0) : A(0);
    return T((A(grad[at]) - k.shift - along) * k.scale);
  }
};

namespace ORDO_LOOPS_DEVICE {

void batch_norm(const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p, const NormResult& r) {
  const Device device = input.device();
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const T* const x = input.data<T>();
    const BatchNormStats<A> stats(s, p, r);
    const BatchNormMean<T> mean(x, stats);
    const BatchNormVariance<T> variance(x, stats);
    if (!s.training) each(s.channels(), stats, device);
    row_program(s.values, device,
                BatchNormMap<T>{x, r.out.data<T>(), stats.mean, stats.invstd, data_or_null<A>(p.weight),
                                data_or_null<A>(p.bias)},
                s.training ? &mean : nullptr, s.training ? &variance : nullptr);
  });
}

void batch_norm_backward(const BatchNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const NormResult& saved, const NormGradients& out) {
  const Device device = input.device();
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const T *g = grad.data<T>(), *x = input.data<T>();
    const A *mean = saved.mean.data<A>(), *invstd = saved.invstd.data<A>();
    const Scratch<A> dots(s.channels(), device);
    A* const sums = out.bias.data<A>();
    const MeanReducer<T, A> sum(g, sums, 1);
    const BatchNormDot<T> dot{{}, g, x, mean, invstd, dots.data(), out.weight.data<A>()};
    row_program(s.values, device,
                BatchNormBackward<T>{g, x, out.input.data<T>(), mean, invstd, data_or_null<A>(weight), sums,
                                     dots.data(), A(s.count()), s.training},
                &sum, &dot);
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
