// Convolutions on the CPU: directly where that is possible, else unfold a sample to columns and multiply. Samples are
// shared between the threads; the few sums that run over samples have an order of their own, which the thread count
// does not change.
#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/memory/memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/kernels/convolution/conv_shape.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>
#include <ordo/kernels/windows/unfold_cpu.h>

namespace ordo::kernels::cpu {
namespace {

template <class T>
void copy_rows(int64_t rows, int64_t width, const T* from, int64_t from_pitch, T* to, int64_t to_pitch) {
  for (int64_t r = 0; r < rows; ++r) std::copy_n(from + r * from_pitch, width, to + r * to_pitch);
}

// The pass forward or input_grad. Samples are taken in runs, whose columns stand side by side in one product: of small
// images one sample's would be too few for a product to be quick.
template <ConvPass kPass, class T>
void by_columns(const ConvShape& s, T* x, const T* weight, const T* bias, T* y) {
  constexpr bool kForward = kPass == ConvPass::forward;
  using C = std::conditional_t<kForward, T, accumulate_t<T>>;
  constexpr int64_t kColumns = 256;
  const int64_t positions = s.outputs(), share = std::max<int64_t>(1, s.samples / num_threads());
  const int64_t length = std::clamp<int64_t>(kColumns / std::max<int64_t>(1, positions), 1, share);
  const int64_t runs = (s.samples + length - 1) / length;
  // A run per thread or, for few runs, all threads on each in turn.
  parallel_for(0, runs, runs >= num_threads() ? 1 : runs, [&](int64_t begin, int64_t end) {
    const bool needs_columns = !kForward || !s.pointwise() || length > 1;
    const Scratch<C> columns(needs_columns ? length * s.columns() : 0, Device());
    const Scratch<T> outputs(length == 1 ? 0 : length * s.y_size(), Device());
    for (int64_t run = begin; run < end; ++run)
      for (int64_t group = 0; group < s.groups; ++group) {
        const int64_t first = run * length, count = std::min(length, s.samples - first), width = count * positions;
        const auto image = [&](int64_t n) { return x + ((first + n) * s.groups + group) * s.x_size(); };
        const auto output = [&](int64_t n) { return y + ((first + n) * s.groups + group) * s.y_size(); };
        const MatrixView filters{weight + group * s.w_size(), std::max<int64_t>(1, s.window()), 1, 0};
        const MatrixView all_outputs{count == 1 ? output(0) : outputs.data(), width, 1, 0};
        MatrixView all_columns{columns.data(), width, 1, 0};
        if constexpr (kForward) {
          if (s.pointwise() && count == 1)
            all_columns.data = image(0);
          else
            for (int64_t n = 0; n < count; ++n)
              unfold(s.windows(s.channels), image(n), columns.data() + n * positions, width);
          Gemm g{.m = s.filters, .n = width, .k = s.window(), .a = filters, .b = all_columns, .c = all_outputs};
          g.dtype = g.c_dtype = dtype_of<T>;
          g.bias = bias ? bias + group * s.filters : nullptr;
          g.bias_per_row = true;
          kernels::gemm(g, Device());
          for (int64_t n = 0; n < count && count > 1; ++n)
            copy_rows(s.filters, positions, outputs.data() + n * positions, width, output(n), positions);
        } else {
          for (int64_t n = 0; n < count && count > 1; ++n)
            copy_rows(s.filters, positions, output(n), positions, outputs.data() + n * positions, width);
          Gemm g{.m = s.window(), .n = width, .k = s.filters, .b = all_outputs, .c = all_columns};
          g.a = filters.transposed();
          g.dtype = dtype_of<T>;
          g.c_dtype = dtype_of<C>;
          kernels::gemm(g, Device());
          for (int64_t n = 0; n < count; ++n)
            fold(s.windows(s.channels), columns.data() + n * positions, width, image(n));
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
          if (!s.pointwise()) unfold(s.windows(s.channels), input, columns.data(), s.outputs());
          Gemm g{.m = s.filters, .n = s.window(), .k = s.outputs(), .dtype = dtype_of<T>, .c_dtype = dtype_of<A>};
          g.a = {grad + image * s.y_size(), s.outputs(), 1, 0};
          g.b = {s.pointwise() ? input : columns.data(), 1, s.outputs(), 0};
          g.c = {partial.data() + n * size + group * s.w_size(), s.window(), 1, 0};
          kernels::gemm(g, Device());
        }
    });
    kernels::add_parts<A>(partial.data(), count, size, n0 == 0, total.data(), Device());
  }
  for (int64_t e = 0; e < size; ++e) w_grad[e] = T(total[e]);
}

}  // namespace

// Rule 4 at every level.
void convolve(ConvPass pass, const ConvShape& s, const ConvTensors& t) {
  dispatch_floating("convolution", t.x.dtype(), [&]<class T>() {
    T *const x = t.x.data<T>(), *const weight = t.weight.data<T>(), *const y = t.y.data<T>();
    const T* const bias = t.bias.defined() ? t.bias.data<T>() : nullptr;
    if constexpr (std::is_same_v<T, float>) {
      if (pass == ConvPass::forward      ? direct_convolution(s, x, weight, bias, y)
          : pass == ConvPass::input_grad ? direct_convolution_input_grad(s, y, weight, x)
                                         : direct_convolution_weight_grad(s, y, x, weight))
        return;
    }
    if (pass == ConvPass::forward)
      by_columns<ConvPass::forward>(s, x, weight, bias, y);
    else if (pass == ConvPass::input_grad)
      by_columns<ConvPass::input_grad>(s, x, weight, bias, y);
    else
      cpu::weight_grad(s, y, x, weight);
  });
}

}  // namespace ordo::kernels::cpu
