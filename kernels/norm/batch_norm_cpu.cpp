#include <ordo/engine/dispatch.h>
#include <ordo/kernels/norm/batch_norm_functors.h>
#include <ordo/kernels/reduce/each_cpu.h>
#include <ordo/kernels/reduce/reduce_cpu.h>

namespace ordo::kernels::cpu {
namespace {

/// A channel's values are read several times; with enough channels a thread keeps one in its cache. Else every pass
/// goes over all of them. The sums, and so the bits, are the same.
bool channel_by_channel(const BatchNormShape& s) { return s.inner >= 8 && s.channels >= num_threads(); }

int64_t channel_grain(const BatchNormShape& s) {
  return std::max<int64_t>(1, kReduceGrain / std::max<int64_t>(1, s.count()));
}

/// Calls row(offset of the first value, channel of the first, n) for rows of one channel or, where inner is 1, of all.
template <class F>
void for_rows(const BatchNormShape& s, const F& row) {
  const bool across = s.inner == 1;
  const int64_t rows = across ? s.batch : s.batch * s.channels, n = across ? s.channels : s.inner;
  parallel_for(0, rows, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, n)), [&](int64_t first, int64_t last) {
    for (int64_t r = first; r < last; ++r) row(r * n, across ? 0 : r % s.channels, n);
  });
}

template <class R>
void reduce_channel(const R& r, const ReduceShape& g, int64_t c) {
  r.store(c, reduce_one(r, g, c));
}

template <class T>
void apply_row(const BatchNormApply<T>& apply, int64_t at, int64_t c, int64_t n) {
  const auto mean = apply.mean[c], scale = apply.scale(c), shift = apply.shift(c);
  const T* x = apply.x + at;
  T* out = apply.out + at;
  for (int64_t i = 0; i < n; ++i) out[i] = apply.value(x[i], mean, scale, shift);
}

template <class T>
void backward_row(const BatchNormBackward<T>& b, int64_t at, int64_t c, int64_t n) {
  const auto k = b.channel(c);
  const T *x = b.x + at, *grad = b.grad + at;
  T* out = b.out + at;
  for (int64_t i = 0; i < n; ++i) out[i] = b.value(grad[i], x[i], k);
}

}  // namespace

void batch_norm(const BatchNormShape& s, const Tensor& input, const BatchNormTensors& p, const BatchNormResult& r) {
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    const BatchNormStats<accumulate_t<T>> stats(s, p, r);
    const BatchNormMean<T> mean(input.data<T>(), stats);
    const BatchNormVariance<T> variance(input.data<T>(), stats);
    const BatchNormApply<T> apply(s, input, p, r);
    const ReduceShape g = channel_reduction(s);
    if (s.training && channel_by_channel(s)) {
      parallel_for(0, s.channels, channel_grain(s), [&](int64_t first, int64_t last) {
        for (int64_t c = first; c < last; ++c) {
          reduce_channel(mean, g, c);
          reduce_channel(variance, g, c);
          for (int64_t b = 0; b < s.batch; ++b) apply_row(apply, (b * s.channels + c) * s.inner, c, s.inner);
        }
      });
      return;
    }
    if (s.training) {
      reduce(mean, g);
      reduce(variance, g);
    } else {
      each(s.channels, stats);
    }
    for_rows(s, [&](int64_t at, int64_t c, int64_t n) {
      if (s.inner > 1) return apply_row(apply, at, c, n);
      for (int64_t i = 0; i < n; ++i)
        apply.out[at + i] = apply.value(apply.x[at + i], apply.mean[i], apply.scale(i), apply.shift(i));
    });
  });
}

void batch_norm_backward(const BatchNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                         const BatchNormResult& saved, const BatchNormGradients& out) {
  dispatch_floating("batch_norm", input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Scratch<A> sums(2 * s.channels, ordo::cpu);
    const auto b = batch_norm_backward_functor<T>(s, grad, input, weight, saved, out, sums.data());
    const BatchNormGradSum<T> sum(b.grad, sums.data());
    const BatchNormGradDot<T> dot(b.grad, b.x, b.mean, sums.data() + s.channels);
    const ReduceShape g = channel_reduction(s);
    if (channel_by_channel(s)) {
      parallel_for(0, s.channels, channel_grain(s), [&](int64_t first, int64_t last) {
        for (int64_t c = first; c < last; ++c) {
          reduce_channel(sum, g, c);
          reduce_channel(dot, g, c);
          b.parameters(c);
          for (int64_t n = 0; n < s.batch; ++n) backward_row(b, (n * s.channels + c) * s.inner, c, s.inner);
        }
      });
      return;
    }
    reduce(sum, g);
    reduce(dot, g);
    for (int64_t c = 0; c < s.channels; ++c) b.parameters(c);
    for_rows(s, [&](int64_t at, int64_t c, int64_t n) {
      if (s.inner > 1) return backward_row(b, at, c, n);
      for (int64_t i = 0; i < n; ++i) b.out[at + i] = b.value(b.grad[at + i], b.x[at + i], b.channel(i));
    });
  });
}

}  // namespace ordo::kernels::cpu
