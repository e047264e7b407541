// Convolutions on CUDA by own kernels, where cuDNN does not compute them: unfold samples to columns, multiply.
#include <algorithm>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>
#include <ordo/kernels/ordering/ordered_sum.h>

namespace ordo::kernels::cuda {
namespace {

// Takes the last digit, of `size` values, from e.
__device__ int64_t take_digit(int64_t& e, int64_t size) {
  if (size == 1) return 0;
  const int64_t rest = quotient(e, size), digit = e - rest * size;
  e = rest;
  return digit;
}

// columns[sample][(c, t, u, v)][(l, i, j)] of `samples` samples, all groups.
template <class T>
__global__ void unfold_kernel(ConvShape s, const T* x, T* columns, int64_t samples) {
  const int64_t count = samples * s.groups * s.columns();
  for (int64_t e = ordo::cuda::thread_index(); e < count; e += ordo::cuda::thread_count()) {
    int64_t plane = e;
    const int64_t j = take_digit(plane, s.w.output), i = take_digit(plane, s.h.output),
                  l = take_digit(plane, s.d.output), v = take_digit(plane, s.w.kernel),
                  u = take_digit(plane, s.h.kernel), t = take_digit(plane, s.d.kernel);
    const int64_t deep = l * s.d.stride + t * s.d.dilation - s.d.padding;
    const int64_t down = i * s.h.stride + u * s.h.dilation - s.h.padding;
    const int64_t right = j * s.w.stride + v * s.w.dilation - s.w.padding;
    const bool inside =
        deep >= 0 && deep < s.d.input && down >= 0 && down < s.h.input && right >= 0 && right < s.w.input;
    columns[e] = inside ? x[((plane * s.d.input + deep) * s.h.input + down) * s.w.input + right] : T(0.0f);
  }
}

// The output position along an axis whose kernel element k lies at `at` of the input, or -1.
__device__ int64_t position_of(const SlidingAxis& a, int64_t at, int64_t k) {
  const int64_t reach = at + a.padding - k * a.dilation;
  if (reach < 0) return -1;
  const int64_t position = quotient(reach, a.stride);
  return position * a.stride == reach && position < a.output ? position : -1;
}

// x = the ordered sum (rule 1) of the elements that unfold_kernel would have copied from there, added to +0.
template <class A, class T>
__global__ void fold_kernel(ConvShape s, const A* columns, T* x, int64_t samples) {
  const int64_t count = samples * s.groups * s.x_size();
  for (int64_t e = ordo::cuda::thread_index(); e < count; e += ordo::cuda::thread_count()) {
    int64_t plane = e;
    const int64_t column = take_digit(plane, s.w.input), line = take_digit(plane, s.h.input),
                  layer = take_digit(plane, s.d.input);
    OrderedSum<A> sum;
    for (int64_t t = 0; t < s.d.kernel; ++t) {
      const int64_t l = position_of(s.d, layer, t);
      if (l < 0) continue;
      for (int64_t u = 0; u < s.h.kernel; ++u) {
        const int64_t i = position_of(s.h, line, u);
        if (i < 0) continue;
        for (int64_t v = 0; v < s.w.kernel; ++v) {
          const int64_t j = position_of(s.w, column, v);
          if (j < 0) continue;
          const int64_t cell = ((plane * s.d.kernel + t) * s.h.kernel + u) * s.w.kernel + v;
          sum.push(columns[cell * s.positions() + (l * s.h.output + i) * s.w.output + j]);
        }
      }
    }
    x[e] = T(sum.result() + A(0));
  }
}

template <class A, class T>
__global__ void store_kernel(const A* from, T* to, int64_t size) {
  for (int64_t e = ordo::cuda::thread_index(); e < size; e += ordo::cuda::thread_count()) to[e] = T(from[e]);
}

// Samples that are unfolded together: as many as 64 MiB hold.
int64_t samples_at_once(const ConvShape& s, size_t element) {
  const int64_t bytes = std::max<int64_t>(1, s.groups * s.columns() * int64_t(element));
  return std::clamp<int64_t>((int64_t(64) << 20) / bytes, 1, s.samples);
}

template <class T>
void forward(const ConvShape& s, const T* x, const T* weight, const T* bias, T* y, Device device) {
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  const int64_t together = samples_at_once(s, sizeof(T));
  const Scratch<T> columns(s.pointwise() ? 0 : together * s.groups * s.columns(), device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n), count = samples * s.groups * s.columns();
    const T* const input = x + n * s.groups * s.x_size();
    if (!s.pointwise() && count > 0)
      ordo::cuda::launch_over(unfold_kernel<T>, count, stream, s, input, columns.data(), samples);
    const T* const unfolded = s.pointwise() ? input : columns.data();
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.filters,
             .n = s.positions(),
             .k = s.window(),
             .batch = samples,
             .dtype = dtype_of<T>,
             .c_dtype = dtype_of<T>};
      g.a = {weight + group * s.w_size(), std::max<int64_t>(1, s.window()), 1, 0};
      g.b = {unfolded + group * s.columns(), s.positions(), 1, s.groups * s.columns()};
      g.c = {y + (n * s.groups + group) * s.y_size(), s.positions(), 1, s.groups * s.y_size()};
      g.bias = bias ? bias + group * s.filters : nullptr;
      g.bias_per_row = true;
      cuda::gemm(g, device);
    }
  }
}

template <class T>
void input_grad(const ConvShape& s, const T* grad, const T* weight, T* x_grad, Device device) {
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  using A = accumulate_t<T>;
  const int64_t together = samples_at_once(s, sizeof(A));
  const Scratch<A> columns(together * s.groups * s.columns(), device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n);
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.window(),
             .n = s.positions(),
             .k = s.filters,
             .batch = samples,
             .dtype = dtype_of<T>,
             .c_dtype = dtype_of<A>};
      g.a = {weight + group * s.w_size(), 1, s.window(), 0};
      g.b = {grad + (n * s.groups + group) * s.y_size(), s.positions(), 1, s.groups * s.y_size()};
      g.c = {columns.data() + group * s.columns(), s.positions(), 1, s.groups * s.columns()};
      cuda::gemm(g, device);
    }
    ordo::cuda::launch_over(fold_kernel<A, T>, samples * s.groups * s.x_size(), stream, s, columns.data(),
                            x_grad + n * s.groups * s.x_size(), samples);
  }
}

template <class T>
void weight_grad(const ConvShape& s, const T* grad, const T* x, T* w_grad, Device device) {
  const cudaStream_t stream = ordo::cuda::current_stream(device);
  using A = accumulate_t<T>;
  const int64_t size = s.groups * s.w_size();
  const int64_t together =
      std::clamp<int64_t>((int64_t(64) << 20) / (size * int64_t(sizeof(A))), 1, samples_at_once(s, sizeof(T)));
  const Scratch<T> columns(s.pointwise() ? 0 : together * s.groups * s.columns(), device);
  const Scratch<A> partial(together * size, device), total(size, device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n);
    const T* const input = x + n * s.groups * s.x_size();
    if (!s.pointwise())
      ordo::cuda::launch_over(unfold_kernel<T>, samples * s.groups * s.columns(), stream, s, input, columns.data(),
                              samples);
    const T* const unfolded = s.pointwise() ? input : columns.data();
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.filters,
             .n = s.window(),
             .k = s.positions(),
             .batch = samples,
             .dtype = dtype_of<T>,
             .c_dtype = dtype_of<A>};
      g.a = {grad + (n * s.groups + group) * s.y_size(), s.positions(), 1, s.groups * s.y_size()};
      g.b = {unfolded + group * s.columns(), 1, s.positions(), s.groups * s.columns()};
      g.c = {partial.data() + group * s.w_size(), s.window(), 1, size};
      cuda::gemm(g, device);
    }
    kernels::add_parts<A>(partial.data(), samples, size, n == 0, total.data(), device);
  }
  ordo::cuda::launch_over(store_kernel<A, T>, size, stream, total.data(), w_grad, size);
}

}  // namespace

void convolution(const ConvShape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y) {
  const ordo::cuda::DeviceScope scope(x.device());
  if (library_convolution(s, x, weight, bias, y)) return;
  dispatch_floating("convolution", x.dtype(), [&]<class T>() {
    forward(s, x.data<T>(), weight.data<T>(), bias.defined() ? bias.data<T>() : nullptr, y.data<T>(), x.device());
  });
}

void convolution_input_grad(const ConvShape& s, const Tensor& grad, const Tensor& weight, const Tensor& x_grad) {
  const ordo::cuda::DeviceScope scope(grad.device());
  if (library_convolution_input_grad(s, grad, weight, x_grad)) return;
  dispatch_floating("convolution", grad.dtype(), [&]<class T>() {
    input_grad(s, grad.data<T>(), weight.data<T>(), x_grad.data<T>(), grad.device());
  });
}

void convolution_weight_grad(const ConvShape& s, const Tensor& grad, const Tensor& x, const Tensor& weight_grad) {
  const ordo::cuda::DeviceScope scope(grad.device());
  if (library_convolution_weight_grad(s, grad, x, weight_grad)) return;
  dispatch_floating("convolution", grad.dtype(), [&]<class T>() {
    cuda::weight_grad(s, grad.data<T>(), x.data<T>(), weight_grad.data<T>(), grad.device());
  });
}

}  // namespace ordo::kernels::cuda
