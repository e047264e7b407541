// Convolutions on CUDA by own kernels, where cuDNN does not compute them: unfold samples to columns, multiply.
#include <algorithm>

#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/memory.h>
#include <ordo/kernels/convolution/convolution.h>
#include <ordo/kernels/matmul/gemm.h>
#include <ordo/kernels/ordering/add_parts.h>
#include <ordo/kernels/windows/unfold.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

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
  const int64_t together = samples_at_once(s, sizeof(T));
  const Scratch<T> columns(s.pointwise() ? 0 : together * s.groups * s.columns(), device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n), count = samples * s.groups * s.columns();
    const T* const input = x + n * s.groups * s.x_size();
    if (!s.pointwise() && count > 0)
      each(count, UnfoldElement<T>{s.windows(samples * s.groups * s.channels), input, columns.data()}, device);
    const T* const unfolded = s.pointwise() ? input : columns.data();
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.filters, .n = s.positions(), .k = s.window(), .batch = samples};
      g.dtype = g.c_dtype = dtype_of<T>;
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
  using A = accumulate_t<T>;
  const int64_t together = samples_at_once(s, sizeof(A));
  const Scratch<A> columns(together * s.groups * s.columns(), device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n);
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.window(), .n = s.positions(), .k = s.filters, .batch = samples};
      g.dtype = dtype_of<T>;
      g.c_dtype = dtype_of<A>;
      g.a = {weight + group * s.w_size(), 1, s.window(), 0};
      g.b = {grad + (n * s.groups + group) * s.y_size(), s.positions(), 1, s.groups * s.y_size()};
      g.c = {columns.data() + group * s.columns(), s.positions(), 1, s.groups * s.columns()};
      cuda::gemm(g, device);
    }
    const FoldElement<A, T> fold{s.windows(samples * s.groups * s.channels), columns.data(),
                                 x_grad + n * s.groups * s.x_size()};
    each(samples * s.groups * s.x_size(), fold, device);
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
      each(samples * s.groups * s.columns(),
           UnfoldElement<T>{s.windows(samples * s.groups * s.channels), input, columns.data()}, device);
    const T* const unfolded = s.pointwise() ? input : columns.data();
    for (int64_t group = 0; group < s.groups; ++group) {
      Gemm g{.m = s.filters, .n = s.window(), .k = s.positions(), .batch = samples};
      g.dtype = dtype_of<T>;
      g.c_dtype = dtype_of<A>;
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

#if !ORDO_HAS_CUDNN
bool library_convolve(ConvPass, const ConvShape&, const ConvTensors&) { return false; }
#endif

void convolve(ConvPass pass, const ConvShape& s, const ConvTensors& t) {
  const Device device = t.x.device();
  const ordo::cuda::DeviceScope scope(device);
  if (library_convolve(pass, s, t)) return;
  dispatch_floating("convolution", t.x.dtype(), [&]<class T>() {
    T *const x = t.x.data<T>(), *const weight = t.weight.data<T>(), *const y = t.y.data<T>();
    if (pass == ConvPass::forward)
      forward(s, x, weight, t.bias.defined() ? t.bias.data<T>() : nullptr, y, device);
    else if (pass == ConvPass::input_grad)
      input_grad(s, y, weight, x, device);
    else
      cuda::weight_grad(s, y, x, weight, device);
  });
}

}  // namespace ordo::kernels::cuda
