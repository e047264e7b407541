// Convolutions on the CPU: directly where that is possible, else unfold a sample to columns and multiply. Samples are
// shared between the threads; the few sums that run over samples have an order of their own, which the thread count
// does not change.
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/convolution/direct_cpu.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>
#include <ordo/kernels/windows/unfold_cpu.h>

namespace ordo::kernels::cpu {
namespace {

// Samples are taken in runs, whose columns stand side by side in one product: of small images one sample's would be too
// few for a product to be quick.
struct Runs {
  int64_t length, count, grain;  // a run per thread, or, for few runs, all threads on each in turn
  explicit Runs(const ConvShape& s) {
    constexpr int64_t kColumns = 256;
    const int64_t share = std::max<int64_t>(1, s.samples / num_threads());
    length = std::clamp<int64_t>(kColumns / std::max<int64_t>(1, s.positions()), 1, share);
    count = (s.samples + length - 1) / length;
    grain = count >= num_threads() ? 1 : count;
  }
};

// The matrix [filters, positions] of a sample's group, `pitch` between rows, from where its results lie, or to there.
template <class T>
void copy_rows(int64_t rows, int64_t width, const T* from, int64_t from_pitch, T* to, int64_t to_pitch) {
  for (int64_t r = 0; r < rows; ++r) std::copy_n(from + r * from_pitch, width, to + r * to_pitch);
}

template <class T>
void forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y) {
  const Runs runs(s);
  const int64_t positions = s.positions();
  parallel_for(0, runs.count, runs.grain, [&](int64_t begin, int64_t end) {
    const Scratch<T> columns(s.pointwise() && runs.length == 1 ? 0 : runs.length * s.columns(), Device());
    const Scratch<T> results(runs.length == 1 ? 0 : runs.length * s.y_size(), Device());
    for (int64_t run = begin; run < end; ++run)
      for (int64_t group = 0; group < s.groups; ++group) {
        const int64_t first = run * runs.length, count = std::min(runs.length, s.samples - first);
        const int64_t width = count * positions;
        const auto input = [&](int64_t n) { return x + ((first + n) * s.groups + group) * s.x_size(); };
        const auto output = [&](int64_t n) { return y + ((first + n) * s.groups + group) * s.y_size(); };
        const bool in_place = s.pointwise() && count == 1;
        for (int64_t n = 0; n < count && !in_place; ++n)
          unfold(s.windows(s.channels), input(n), columns.data() + n * positions, width);
        Gemm g{.m = s.filters, .n = width, .k = s.window(), .dtype = dtype_of<T>, .c_dtype = dtype_of<T>};
        g.a = {weight + group * s.w_size(), std::max<int64_t>(1, s.window()), 1, 0};
        g.b = {in_place ? input(0) : columns.data(), width, 1, 0};
        g.c = {count == 1 ? output(0) : results.data(), width, 1, 0};
        g.bias = bias ? bias + group * s.filters : nullptr;
        g.bias_per_row = true;
        kernels::gemm(g, Device());
        for (int64_t n = 0; n < count && count > 1; ++n)
          copy_rows(s.filters, positions, results.data() + n * positions, width, output(n), positions);
      }
  });
}

template <class T>
void input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad) {
  using A = accumulate_t<T>;
  const Runs runs(s);
  const int64_t positions = s.positions();
  parallel_for(0, runs.count, runs.grain, [&](int64_t begin, int64_t end) {
    const Scratch<A> columns(runs.length * s.columns(), Device());
    const Scratch<T> grads(runs.length == 1 ? 0 : runs.length * s.y_size(), Device());
    for (int64_t run = begin; run < end; ++run) {
      const int64_t first = run * runs.length, count = std::min(runs.length, s.samples - first);
      const int64_t width = count * positions;
      for (int64_t group = 0; group < s.groups; ++group) {
        const auto output = [&](int64_t n) { return grad + ((first + n) * s.groups + group) * s.y_size(); };
        for (int64_t n = 0; n < count && count > 1; ++n)
          copy_rows(s.filters, positions, output(n), positions, grads.data() + n * positions, width);
        Gemm g{.m = s.window(), .n = width, .k = s.filters, .dtype = dtype_of<T>, .c_dtype = dtype_of<A>};
        g.a = {weight + group * s.w_size(), 1, s.window(), 0};
        g.b = {count == 1 ? output(0) : grads.data(), width, 1, 0};
        g.c = {columns.data(), width, 1, 0};
        kernels::gemm(g, Device());
        for (int64_t n = 0; n < count; ++n)
          fold(s.windows(s.channels), columns.data() + n * positions, width,
               x_grad + ((first + n) * s.groups + group) * s.x_size());
      }
    }
  });
}

template <class T>
void weight_grad(const ConvShape& s, const T* grad, const T* x, T* w_grad) {
  using A = accumulate_t<T>;
  const int64_t size = s.groups * s.w_size();
  // Samples that threads share, each with a sum of its own: so many that all of them stay in a cache.
  const int64_t fit = (int64_t(1) << 23) / (int64_t(sizeof(A)) * std::max<int64_t>(1, size));
  const int64_t at_once = std::min(s.samples, std::clamp<int64_t>(fit, std::min(num_threads(), 16), 16));
  const Scratch<A> partial(at_once * size, Device()), total(size, Device());
  for (int64_t n0 = 0; n0 < s.samples; n0 += at_once) {
    const int64_t count = std::min(at_once, s.samples - n0);
    parallel_for(0, count, count >= num_threads() ? 1 : count, [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(s.pointwise() ? 0 : s.columns(), Device());
      for (int64_t n = begin; n < end; ++n)
        for (int64_t group = 0; group < s.groups; ++group) {
          const int64_t image = (n0 + n) * s.groups + group;
          const T* const input = x + image * s.x_size();
          if (!s.pointwise()) unfold(s.windows(s.channels), input, columns.data(), s.positions());
          Gemm g{.m = s.filters, .n = s.window(), .k = s.positions(), .dtype = dtype_of<T>, .c_dtype = dtype_of<A>};
          g.a = {grad + image * s.y_size(), s.positions(), 1, 0};
          g.b = {s.pointwise() ? input : columns.data(), 1, s.positions(), 0};
          g.c = {partial.data() + n * size + group * s.w_size(), s.window(), 1, 0};
          kernels::gemm(g, Device());
        }
    });
    kernels::add_parts<A>(partial.data(), count, size, n0 == 0, total.data(), Device());
  }
  for (int64_t e = 0; e < size; ++e) w_grad[e] = T(total[e]);
}

template <class T>
constexpr bool kDirectType = sizeof(T) >= 4;  // not the halves

/// Whether a line of this image would leave many lanes of its vectors without a result, which products of several
/// samples fill.
bool is_small(const ConvShape& s) { return s.samples >= 8 && s.positions() <= 32 && s.filters >= 32; }

template <class T>
bool all_finite(const T* values, int64_t count) {
  T sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += values[i] - values[i];
  return sum == 0;
}

}  // namespace

// Rule 4 at every level.
void convolution(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
  dispatch_floating("convolution", x.dtype(), [&]<class T>() {
    const T* const offset = bias.defined() ? bias.data<T>() : nullptr;
    if constexpr (kDirectType<T>) {
      if (direct_fits(s) && !is_small(s))
        return direct_convolution<T>().forward(s, x.data<T>(), weight.data<T>(), offset, y.data<T>());
    }
    forward(s, x.data<T>(), weight.data<T>(), offset, y.data<T>());
  });
}

void convolution_input_grad(const ConvShape& s, const Tensor& grad, const Tensor& weight, const Tensor& x_grad) {
  dispatch_floating("convolution", grad.dtype(), [&]<class T>() {
    if constexpr (kDirectType<T>) {
      if (direct_input_grad_fits(s) && !is_small(s) && all_finite(weight.data<T>(), weight.numel()))
        return direct_convolution<T>().input_grad(s, grad.data<T>(), weight.data<T>(), x_grad.data<T>());
    }
    input_grad(s, grad.data<T>(), weight.data<T>(), x_grad.data<T>());
  });
}

void convolution_weight_grad(const ConvShape& s, const Tensor& grad, const Tensor& x, const Tensor& weight_grad) {
  dispatch_floating("convolution", grad.dtype(), [&]<class T>() {
    if constexpr (kDirectType<T>) {
      if (direct_weight_grad_fits(s))
        return direct_convolution<T>().weight_grad(s, grad.data<T>(), x.data<T>(), weight_grad.data<T>());
    }
    cpu::weight_grad(s, grad.data<T>(), x.data<T>(), weight_grad.data<T>());
  });
}

}  // namespace ordo::kernels::cpu
