#include <ordo/kernels/norm/group_norm.h>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/norm/layer_norm_functors.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels {
namespace {

/// [samples, groups, channels of a group, inner]; a row of layer_norm is a group.
struct GroupShape {
  int64_t samples, groups, channels, inner = 1;
  GroupShape(const Tensor& input, int64_t groups)
      : samples(input.size(0)), groups(groups), channels(input.size(1) / groups) {
    for (int d = 2; d < input.dim(); ++d) inner *= input.size(d);
  }
  RowNormShape rows(double eps) const {
    return {.rows = samples * groups, .columns = channels * inner, .centered = true, .eps = eps};
  }
};

DType wide_dtype(DType t) { return t == float64 ? float64 : float32; }
Tensor parameter(const Tensor& t, DType wide) { return t.defined() ? contiguous(cast(t, wide)) : t; }

template <class F>
void for_each(int64_t n, int64_t width, const F& f) {
  parallel_for(0, n, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, width)),
               [&](int64_t first, int64_t last) { f(first, last); });
}

template <class A>
A sum_of(const A* values, int64_t n) {
  return cpu::reduce_one(SumReducer<A>(values, nullptr), reduce_line(n), 0);
}

template <class T>
void normalise(const GroupShape& g, const RowNormShape& s, const T* input, const accumulate_t<T>* weight,
               const accumulate_t<T>* bias, const RowNormResult& r) {
  using A = accumulate_t<T>;
  const MeanReducer<T, A> mean(input, r.mean.data<A>(), s.columns);
  const RowScale<T> scale(s, input, r);
  const ReduceShape shape = row_reduction(s);
  for_each(s.rows, s.columns, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      mean.store(row, cpu::reduce_one(mean, shape, row));
      scale.store(row, cpu::reduce_one(scale, shape, row));
      const A center = scale.mean[row], invstd = scale.invstd[row];
      for (int64_t k = 0; k < g.channels; ++k) {
        const int64_t c = row % g.groups * g.channels + k, at = row * s.columns + k * g.inner;
        const A w = weight ? weight[c] : A(1), b = bias ? bias[c] : A(-0.0);  // which change no bit
        const T* x = input + at;
        T* out = r.out.data<T>() + at;
        for (int64_t i = 0; i < g.inner; ++i) out[i] = T((A(x[i]) - center) * invstd * w + b);
      }
    }
  });
}

template <class T>
void gradient_of_input(const GroupShape& g, const RowNormShape& s, const T* grad, const T* input,
                       const accumulate_t<T>* weight, const RowNormResult& saved, T* out) {
  using A = accumulate_t<T>;
  const A *mean = saved.mean.data<A>(), *invstd = saved.invstd.data<A>(), count = A(s.columns);
  for_each(s.rows, s.columns, [&](int64_t first, int64_t last) {
    const Scratch<A> weighted(s.columns, ordo::cpu), products(s.columns, ordo::cpu);
    A *const h = weighted, *const terms = products;
    for (int64_t row = first; row < last; ++row) {
      const T *const from = grad + row * s.columns, *const x = input + row * s.columns;
      T* const to = out + row * s.columns;
      for (int64_t k = 0; k < g.channels; ++k) {
        const A w = weight ? weight[row % g.groups * g.channels + k] : A(1);
        for (int64_t i = k * g.inner; i < (k + 1) * g.inner; ++i) h[i] = A(from[i]) * w;
      }
      const A center = mean[row], scale = invstd[row];
      for (int64_t i = 0; i < s.columns; ++i) terms[i] = h[i] * (A(x[i]) - center);
      const A shift = sum_of(h, s.columns) / count, slope = scale * scale * (sum_of(terms, s.columns) / count);
      for (int64_t i = 0; i < s.columns; ++i) to[i] = T((h[i] - shift - (A(x[i]) - center) * slope) * scale);
    }
  });
}

/// The sums of grad ((x - mean) invstd) and of grad over samples and cells; null where not wanted.
template <class T>
void gradients_of_parameters(const GroupShape& g, const T* grad, const T* input, const RowNormResult& saved,
                             accumulate_t<T>* of_weight, accumulate_t<T>* of_bias) {
  using A = accumulate_t<T>;
  const A *mean = saved.mean.data<A>(), *invstd = saved.invstd.data<A>();
  const int64_t all = g.groups * g.channels, count = g.samples * g.inner;
  const int64_t blocks = (count + kReduceBlock - 1) / kReduceBlock;
  for_each(all, count, [&](int64_t first, int64_t last) {
    A products[kReduceBlock], values[kReduceBlock];
    const Scratch<A> weight_sums(blocks, ordo::cpu), bias_sums(blocks, ordo::cpu);
    for (int64_t c = first; c < last; ++c) {
      for (int64_t b = 0; b < blocks; ++b) {
        const int64_t begin = b * kReduceBlock, end = std::min(count, begin + kReduceBlock);
        for (int64_t i = begin, n; i < end; i += n) {
          const int64_t sample = i / g.inner, j = i - sample * g.inner, row = sample * g.groups + c / g.channels;
          n = std::min(g.inner - j, end - i);
          const int64_t at = (sample * all + c) * g.inner + j;
          const A center = mean[row], scale = invstd[row];
          A *const p = products + (i - begin), *const v = values + (i - begin);
          for (int64_t k = 0; k < n; ++k) v[k] = A(grad[at + k]);
          if (of_weight)
            for (int64_t k = 0; k < n; ++k) p[k] = v[k] * ((A(input[at + k]) - center) * scale);
        }
        if (of_weight) weight_sums[b] = sum_of(products, end - begin);
        if (of_bias) bias_sums[b] = sum_of(values, end - begin);
      }
      if (of_weight) of_weight[c] = blocks ? cpu::detail::fold_blocks<Addition<A>>(weight_sums, blocks) : A(0);
      if (of_bias) of_bias[c] = blocks ? cpu::detail::fold_blocks<Addition<A>>(bias_sums, blocks) : A(0);
    }
  });
}

}  // namespace

RowNormResult cpu::group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias,
                              double eps) {
  const GroupShape g(input, groups);
  const RowNormShape s = g.rows(eps);
  const DType wide = wide_dtype(input.dtype());
  const RowNormResult r{ordo::detail::result_like(input), ordo::detail::result({s.rows}, wide, input.device()),
                        ordo::detail::result({s.rows}, wide, input.device())};
  const Tensor x = contiguous(input), w = parameter(weight, wide), b = parameter(bias, wide);
  dispatch_floating("group_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    normalise(g, s, x.data<T>(), values_or_null<A>(w), values_or_null<A>(b), r);
  });
  return r;
}

RowNormGradients cpu::group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                          const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias) {
  const GroupShape g(input, groups);
  const RowNormShape s = g.rows(0);
  const DType wide = wide_dtype(input.dtype());
  const auto of_parameter = [&] { return ordo::detail::result({input.size(1)}, wide, input.device()); };
  const RowNormGradients out{for_input ? ordo::detail::result_like(input) : Tensor(),
                             for_weight ? of_parameter() : Tensor(), for_bias ? of_parameter() : Tensor()};
  const Tensor from = contiguous(grad), x = contiguous(input), w = parameter(weight, wide);
  dispatch_floating("group_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const T *d = from.data<T>(), *v = x.data<T>();
    if (for_input) gradient_of_input(g, s, d, v, values_or_null<A>(w), saved, out.input.data<T>());
    if (for_weight || for_bias)
      gradients_of_parameters(g, d, v, saved, values_or_null<A>(out.weight), values_or_null<A>(out.bias));
  });
  return out;
}

}  // namespace ordo::kernels
