// Convolutions on CUDA by own kernels, where cuDNN does not compute them: unfold samples to columns, multiply.
#include <algorithm>
#include <type_traits>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/memory/memory.h>
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

template <ConvPass kPass, class T>
void by_columns(const ConvShape& s, T* x, T* weight, const T* bias, T* y, Device device) {
  using A = accumulate_t<T>;
  constexpr bool kUnfolds = kPass != ConvPass::input_grad, kSums = kPass == ConvPass::weight_grad;
  using C = std::conditional_t<kUnfolds, T, A>;
  const int64_t size = s.groups * s.w_size(), sums = kSums ? size : 0;
  int64_t together = samples_at_once(s, sizeof(C));
  if (kSums) together = std::clamp<int64_t>((int64_t(64) << 20) / (size * int64_t(sizeof(A))), 1, together);
  const bool in_place = kUnfolds && s.pointwise();
  const Scratch<C> columns(in_place ? 0 : together * s.groups * s.columns(), device);
  const Scratch<A> partial(together * sums, device), total(sums, device);
  for (int64_t n = 0; n < s.samples; n += together) {
    const int64_t samples = std::min(together, s.samples - n);
    const UnfoldShape windows = s.windows(samples * s.groups * s.channels);
    T* const images = x + n * s.groups * s.x_size();
    C* unfolded = columns.data();
    if constexpr (kUnfolds) {
      if (in_place)
        unfolded = images;
      else
        each(samples * s.groups * s.columns(), UnfoldElement<T>{windows, images, unfolded}, device);
    }
    for (int64_t group = 0; group < s.groups; ++group) {
      const MatrixView filters{weight + group * s.w_size(), std::max<int64_t>(1, s.window()), 1, 0};
      const MatrixView cells{unfolded + group * s.columns(), s.outputs(), 1, s.groups * s.columns()};
      const MatrixView outputs{y + (n * s.groups + group) * s.y_size(), s.outputs(), 1, s.groups * s.y_size()};
      Gemm g{.batch = samples, .dtype = dtype_of<T>, .c_dtype = dtype_of<A>};
      if constexpr (kPass == ConvPass::forward) {
        g.m = s.filters, g.n = s.outputs(), g.k = s.window();
        g.a = filters, g.b = cells, g.c = outputs;
        g.c_dtype = dtype_of<T>;
        g.bias = bias ? bias + group * s.filters : nullptr;
        g.bias_per_row = true;
      } else if constexpr (kPass == ConvPass::input_grad) {
        g.m = s.window(), g.n = s.outputs(), g.k = s.filters;
        g.a = filters.transposed(), g.b = outputs, g.c = cells;
      } else {
        g.m = s.filters, g.n = s.window(), g.k = s.outputs();
        g.a = outputs, g.b = cells.transposed(), g.c = {partial.data() + group * s.w_size(), s.window(), 1, size};
      }
      cuda::gemm(g, device);
    }
    if constexpr (!kUnfolds)
      each(samples * s.groups * s.x_size(), FoldElement<A, T>{windows, unfolded, images}, device);
    if constexpr (kSums) kernels::add_parts<A>(partial.data(), samples, size, n == 0, total.data(), device);
  }
  if constexpr (kSums)
    ordo::cuda::launch_over(store_kernel<A, T>, size, ordo::cuda::current_stream(device), total.data(), weight, size);
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
    const T* const bias = t.bias.defined() ? t.bias.data<T>() : nullptr;
    const auto compute = pass == ConvPass::forward      ? by_columns<ConvPass::forward, T>
                         : pass == ConvPass::input_grad ? by_columns<ConvPass::input_grad, T>
                                                        : by_columns<ConvPass::weight_grad, T>;
    compute(s, x, weight, bias, y, device);
  });
}

}  // namespace ordo::kernels::cuda
