// Convolutions on the CPU: directly where that is possible, else unfold a sample to columns and multiply. Samples are
// shared between the threads; the few sums that run over samples have an order of their own, which the thread count
// does not change.
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/engine/parallel.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/convolution/direct_cpu.h>
#include <ordo/kernels/convolution/unfold_cpu.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>

namespace ordo::kernels::cpu {
namespace {

// One sample per thread, or, for few samples, all threads on each sample in turn.
int64_t sample_grain(const ConvShape& s) { return s.samples >= num_threads() ? 1 : s.samples; }

template <class T>
void forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y) {
  parallel_for(0, s.samples, sample_grain(s), [&](int64_t begin, int64_t end) {
    const Scratch<T> columns(s.pointwise() ? 0 : s.columns(), Device());
    for (int64_t n = begin; n < end; ++n)
      for (int64_t group = 0; group < s.groups; ++group) {
        const T* const input = x + (n * s.groups + group) * s.x_size();
        if (!s.pointwise()) unfold(s, input, columns.data());
        Gemm g{.m = s.filters, .n = s.positions(), .k = s.window(), .dtype = dtype_of<T>, .c_dtype = dtype_of<T>};
        g.a = {weight + group * s.w_size(), std::max<int64_t>(1, s.window()), 1, 0};
        g.b = {s.pointwise() ? input : columns.data(), s.positions(), 1, 0};
        g.c = {y + (n * s.groups + group) * s.y_size(), s.positions(), 1, 0};
        g.bias = bias ? bias + group * s.filters : nullptr;
        g.bias_per_row = true;
        kernels::gemm(g, Device());
      }
  });
}

template <class T>
void input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad) {
  using A = accumulate_t<T>;
  parallel_for(0, s.samples, sample_grain(s), [&](int64_t begin, int64_t end) {
    const Scratch<A> columns(s.columns(), Device()), sums(s.pixels(), Device());
    for (int64_t n = begin; n < end; ++n)
      for (int64_t group = 0; group < s.groups; ++group) {
        Gemm g{.m = s.window(), .n = s.positions(), .k = s.filters, .dtype = dtype_of<T>, .c_dtype = dtype_of<A>};
        g.a = {weight + group * s.w_size(), 1, s.window(), 0};
        g.b = {grad + (n * s.groups + group) * s.y_size(), s.positions(), 1, 0};
        g.c = {columns.data(), s.positions(), 1, 0};
        kernels::gemm(g, Device());
        fold(s, columns.data(), sums.data(), x_grad + (n * s.groups + group) * s.x_size());
      }
  });
}

template <class T>
void weight_grad(const ConvShape& s, const T* grad, const T* x, T* w_grad) {
  using A = accumulate_t<T>;
  const int64_t size = s.groups * s.w_size();
  const int64_t at_once = std::min<int64_t>(s.samples, 16);  // samples that threads share, each with a sum of its own
  const Scratch<A> partial(at_once * size, Device()), total(size, Device());
  for (int64_t n0 = 0; n0 < s.samples; n0 += at_once) {
    const int64_t count = std::min(at_once, s.samples - n0);
    parallel_for(0, count, count >= num_threads() ? 1 : count, [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(s.pointwise() ? 0 : s.columns(), Device());
      for (int64_t n = begin; n < end; ++n)
        for (int64_t group = 0; group < s.groups; ++group) {
          const int64_t image = (n0 + n) * s.groups + group;
          const T* const input = x + image * s.x_size();
          if (!s.pointwise()) unfold(s, input, columns.data());
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
      if (direct_fits(s)) return direct_convolution<T>().forward(s, x.data<T>(), weight.data<T>(), offset, y.data<T>());
    }
    forward(s, x.data<T>(), weight.data<T>(), offset, y.data<T>());
  });
}

void convolution_input_grad(const ConvShape& s, const Tensor& grad, const Tensor& weight, const Tensor& x_grad) {
  dispatch_floating("convolution", grad.dtype(), [&]<class T>() {
    if constexpr (kDirectType<T>) {
      if (direct_input_grad_fits(s) && all_finite(weight.data<T>(), weight.numel()))
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
