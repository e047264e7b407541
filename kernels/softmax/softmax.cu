#include <ordo/engine/dispatch.h>
#include <ordo/kernels/ordering/ordered_sum.h>
#include <ordo/kernels/reduce/reducers.h>
#include <ordo/kernels/softmax/softmax.h>
#include <ordo/kernels/softmax/softmax_formulas.h>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {
namespace {

/// The sum of f(0..n) by rule 2; the warp's lanes take part alike, and all get the result.
template <class A, class F>
__device__ A warp_sum(int64_t n, int lane, const F& f) {
  OrderedSum<A> blocks;  // lane 0's counts
  for (int64_t begin = 0; begin < n; begin += kReduceBlock) {
    const int64_t end = n < begin + kReduceBlock ? n : begin + kReduceBlock;
    blocks.push(halve<Addition<A>>(fold_lane<Addition<A>>(begin + lane, end, f)));
  }
  return __shfl_sync(0xffffffffu, blocks.result(), 0);
}

template <class T, bool kLog>
__global__ void softmax_kernel(SoftmaxShape s, const T* x, T* out) {
  using A = accumulate_t<T>;
  using Formula = SoftmaxFormula<T, kLog>;
  using Max = ExtremumReducer<A, true>;
  const int lane = int(threadIdx.x) % 32;
  const int64_t rows = s.outer * s.inner, warps = ordo::cuda::thread_count() / 32;
  ORDO_NO_UNROLL
  for (int64_t row = ordo::cuda::thread_index() / 32; row < rows; row += warps) {
    const int64_t at = row / s.inner * s.length * s.inner + row % s.inner;
    const A lane_max = fold_lane<Max>(lane, s.length, [&](int64_t i) { return A(x[at + i * s.inner]); });
    const A max = __shfl_sync(0xffffffffu, halve<Max>(lane_max), 0);
    const A sum = Formula::finish(
        warp_sum<A>(s.length, lane, [&](int64_t i) { return Formula::term(A(x[at + i * s.inner]), max); }));
    for (int64_t i = lane; i < s.length; i += 32)
      out[at + i * s.inner] = Formula::result(A(x[at + i * s.inner]), max, sum);
  }
}

template <class T, bool kLog>
__global__ void softmax_backward_kernel(SoftmaxShape s, const T* grad, const T* y, T* out) {
  using A = accumulate_t<T>;
  using Gradient = SoftmaxGradient<T, kLog>;
  const int lane = int(threadIdx.x) % 32;
  const int64_t rows = s.outer * s.inner, warps = ordo::cuda::thread_count() / 32;
  ORDO_NO_UNROLL
  for (int64_t row = ordo::cuda::thread_index() / 32; row < rows; row += warps) {
    const int64_t at = row / s.inner * s.length * s.inner + row % s.inner;
    const A sum = warp_sum<A>(
        s.length, lane, [&](int64_t i) { return Gradient::term(A(grad[at + i * s.inner]), A(y[at + i * s.inner])); });
    for (int64_t i = lane; i < s.length; i += 32)
      out[at + i * s.inner] = Gradient::result(A(grad[at + i * s.inner]), A(y[at + i * s.inner]), sum);
  }
}

}  // namespace

void softmax(bool log, const SoftmaxShape& s, const Tensor& t, const Tensor& out) {
  const ordo::cuda::DeviceScope scope(t.device());
  dispatch_floating("softmax", t.dtype(), [&]<class T>() {
    ordo::cuda::launch(log ? softmax_kernel<T, true> : softmax_kernel<T, false>,
                       ordo::cuda::grid_for(s.outer * s.inner, 4), dim3(128), 0, ordo::cuda::current_stream(t.device()),
                       s, t.data<T>(), out.data<T>());
  });
}

void softmax_backward(bool log, const SoftmaxShape& s, const Tensor& grad, const Tensor& result, const Tensor& out) {
  const ordo::cuda::DeviceScope scope(result.device());
  dispatch_floating("softmax", result.dtype(), [&]<class T>() {
    ordo::cuda::launch(log ? softmax_backward_kernel<T, true> : softmax_backward_kernel<T, false>,
                       ordo::cuda::grid_for(s.outer * s.inner, 4), dim3(128), 0,
                       ordo::cuda::current_stream(result.device()), s, grad.data<T>(), result.data<T>(), out.data<T>());
  });
}

}  // namespace ordo::kernels::cuda
