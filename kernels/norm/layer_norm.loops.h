// layer_norm, rms_norm and group_norm. A is the accumulation type, T that of the values.
#pragma once

#include <ordo/engine/memory/memory.h>
#include <ordo/kernels/norm/norm.h>
#include <ordo/kernels/reduce/reducers.h>

namespace ordo::kernels {

/// Where the parameters of channels are: a row is a group of channels, a line the `inner` values of one of them.
struct GroupChannels {
  Divisor of_group, all, inner;
  explicit GroupChannels(const RowNormShape& s)
      : of_group(s.values.parts), all(s.channels), inner(s.values.inner / s.values.parts) {}
  ORDO_HD int64_t group(int64_t line) const { return of_group.quotient(line); }
  ORDO_HD int64_t channel(int64_t line) const { return all.remainder(line); }
  ORDO_HD int64_t line(int64_t offset) const { return inner.quotient(offset); }
  /// How many of a line's values are left.
  int64_t left(int64_t i) const { return inner.value - inner.remainder(i); }
};

/// 1 / sqrt(sum / n + eps)
template <class T>
struct RowScale : CenteredSquares<T> {
  using A = accumulate_t<T>;
  static constexpr bool kOneLine = true;
  A* invstd;
  A count, eps;
  RowScale(const RowNormShape& s, const T* x, const NormResult& r)
      : CenteredSquares<T>(x, r.mean.data<A>()), invstd(r.invstd.data<A>()), count(A(s.values.inner)), eps(A(s.eps)) {}
  ORDO_HD void store(int64_t row, A s) const { invstd[row] = A(1) / math::sqrt(s / count + eps); }
};

/// ((x - mean) invstd) weight + bias; parameters of columns or, kGroups, of channels.
template <class T, bool kGroups>
struct RowNormMap {
  using A = accumulate_t<T>;
  const T* x;
  T* out;
  const A *mean, *invstd, *weight, *bias;
  GroupChannels groups;
  struct Row {
    A mean, invstd, weight, bias;
  };
  ORDO_HD Row row(int64_t r) const {
    const int64_t group = kGroups ? groups.group(r) : r, c = kGroups ? groups.channel(r) : 0;
    return {mean[group], invstd[group], kGroups && weight ? weight[c] : A(1),  // which changes no bit
            kGroups && bias ? bias[c] : A(-0.0)};
  }
  ORDO_HD T value(const Row& k, int64_t at, int64_t column) const {
    A y = (A(x[at]) - k.mean) * k.invstd;
    if constexpr (kGroups) {
      y = y * k.weight + k.bias;
    } else {
      if (weight) y = y * weight[column];
      if (bias) y = y + bias[column];
    }
    return T(y);
  }
};

/// The sums of h and of h (x - mean) over a row, h being the gradient times the weight.
template <class T, bool kGroups, bool kDot>
struct RowGradSum : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  static constexpr bool kAlone = true, kOneLine = true;
  const T *grad, *x;
  const A *weight, *mean;
  A* sums;
  GroupChannels groups;
  ORDO_HD A load(int64_t offset, int64_t column, int64_t row) const {
    A h(grad[offset]);
    if (weight) h = h * weight[kGroups ? groups.channel(groups.line(offset)) : column];
    return kDot ? h * (A(x[offset]) - mean[row]) : h;
  }
  ORDO_HD void store(int64_t row, A s) const { sums[row] = s; }

  struct Run : Addition<A> {
    const T *grad, *x;
    A weight, mean;
    A load(int64_t offset, int64_t, int64_t) const {
      const A h = A(grad[offset]) * weight;
      return kDot ? h * (A(x[offset]) - mean) : h;
    }
  };
  int64_t left(int64_t i) const requires kGroups { return groups.left(i); }
  Run run(int64_t offset, int64_t row) const requires kGroups {
    return {{}, grad, x, weight ? weight[groups.channel(groups.line(offset))] : A(1), mean[row]};
  }
};

/// dx = (h - sum(h) / n - (x - mean) invstd^2 dot / n) invstd; rms_norm has no sum(h).
template <class T, bool kGroups>
struct RowNormBackward {
  using A = accumulate_t<T>;
  const T *grad, *x;
  T* out;
  const A *mean, *invstd, *weight, *sum, *dot;
  A count;
  bool centered;
  GroupChannels groups;
  struct Row {
    A mean, shift, slope, scale, weight;
  };
  ORDO_HD Row row(int64_t line) const {
    const int64_t r = kGroups ? groups.group(line) : line;
    return {mean[r], centered ? sum[r] / count : A(0), invstd[r] * invstd[r] * (dot[r] / count), invstd[r],
            kGroups && weight ? weight[groups.channel(line)] : A(1)};
  }
  ORDO_HD T value(const Row& k, int64_t at, int64_t column) const {
    A h(grad[at]);
    if (kGroups)
      h = h * k.weight;
    else if (weight)
      h = h * weight[column];
    return T((h - k.shift - (A(x[at]) - k.mean) * k.slope) * k.scale);
  }
};

/// The gradient of a weight: the sum of grad ((x - mean) invstd) over the rows and, of a channel's, over its values.
template <class T, bool kGroups>
struct WeightGrad : Addition<accumulate_t<T>> {
  using A = accumulate_t<T>;
  const T *grad, *x;
  const A *mean, *invstd;
  A* out;
  GroupChannels groups;
  ORDO_HD int64_t row_of(int64_t offset) const { return groups.group(groups.line(offset)); }
  ORDO_HD A load(int64_t offset, int64_t i, int64_t) const {
    const int64_t row = kGroups ? row_of(offset) : i;
    return A(grad[offset]) * ((A(x[offset]) - mean[row]) * invstd[row]);
  }
  ORDO_HD void store(int64_t o, A s) const { out[o] = s; }

  struct Run : Addition<A> {
    const T *grad, *x;
    A mean, invstd;
    A load(int64_t offset, int64_t, int64_t) const { return A(grad[offset]) * ((A(x[offset]) - mean) * invstd); }
  };
  int64_t left(int64_t i) const requires kGroups { return groups.left(i); }
  Run run(int64_t offset, int64_t) const requires kGroups {
    return {{}, grad, x, mean[row_of(offset)], invstd[row_of(offset)]};
  }
};

namespace ORDO_LOOPS_DEVICE {
namespace {

/// go.operator()<T, kGroups>()
template <class F>
void with_rows(const RowNormShape& s, const Tensor& input, const F& go) {
  dispatch_floating("layer_norm", input.dtype(), [&]<class T>() {
    s.channels ? go.template operator()<T, true>() : go.template operator()<T, false>();
  });
}

}  // namespace

void row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias,
              const NormResult& r) {
  with_rows(s, input, [&]<class T, bool kGroups>() {
    using A = accumulate_t<T>;
    const MeanReducer<T, A> mean(input.data<T>(), r.mean.data<A>(), s.values.inner);
    const RowScale<T> scale(s, input.data<T>(), r);
    row_program(s.values, input.device(),
                RowNormMap<T, kGroups>{input.data<T>(), r.out.data<T>(), r.mean.data<A>(), r.invstd.data<A>(),
                                       data_or_null<A>(weight), data_or_null<A>(bias), GroupChannels(s)},
                s.centered ? &mean : nullptr, &scale);
  });
}

void row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                       const NormResult& saved, const NormGradients& out) {
  const Device device = input.device();
  with_rows(s, input, [&]<class T, bool kGroups>() {
    using A = accumulate_t<T>;
    const T *g = grad.data<T>(), *x = input.data<T>();
    const A *w = data_or_null<A>(weight), *mean = saved.mean.data<A>(), *invstd = saved.invstd.data<A>();
    const GroupChannels groups(s);
    if (out.input.defined()) {
      const Scratch<A> scratch(2 * s.values.rows, device);
      A *const sums = scratch.data(), *const dots = sums + s.values.rows;
      const RowGradSum<T, kGroups, false> sum{{}, g, x, w, mean, sums, groups};
      const RowGradSum<T, kGroups, true> dot{{}, g, x, w, mean, dots, groups};
      row_program(s.values, device,
                  RowNormBackward<T, kGroups>{g, x, out.input.data<T>(), mean, invstd, w, sums, dots, A(s.values.inner),
                                              s.centered, groups},
                  s.centered ? &sum : nullptr, &dot);
    }
    const WeightGrad<T, kGroups> of_weight{{}, g, x, mean, invstd, data_or_null<A>(out.weight), groups};
    const MeanReducer<T, A> of_bias(g, data_or_null<A>(out.bias), 1);
    reduce_both(out.weight.defined() ? &of_weight : nullptr, out.bias.defined() ? &of_bias : nullptr, s.parameters(),
                device);
  });
}

}  // namespace ORDO_LOOPS_DEVICE
}  // namespace ordo::kernels
