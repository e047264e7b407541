#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/kernels/matmul/gemm.h>

namespace ordo::kernels::cuda {
namespace {

template <class T, class C>
__global__ void start_gemm_kernel(Gemm g) {
  const T* const bias = static_cast<const T*>(g.bias);
  const int64_t count = g.batch * g.m * g.n;
  ORDO_NO_UNROLL
  for (int64_t e = ordo::cuda::thread_index(); e < count; e += ordo::cuda::thread_count()) {
    const int64_t j = e % g.n, i = e / g.n % g.m, batch = e / (g.n * g.m);
    *const_cast<C*>(g.c.at<C>(batch, i, j)) = bias ? C(bias[g.bias_per_row ? i : j]) : C(0.0f);
  }
}

template <class T, class C>
void launch_start(const Gemm& g, Device device) {
  const ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(start_gemm_kernel<T, C>, g.batch * g.m * g.n, ordo::cuda::current_stream(device), g);
}

}  // namespace

void start_gemm(const Gemm& g, Device device) {
  dispatch_floating("matmul", g.dtype, [&]<class T>() {
    if constexpr (sizeof(T) == 2) {
      if (g.c_dtype == float32) return launch_start<T, float>(g, device);
    }
    launch_start<T, T>(g, device);
  });
}

}  // namespace ordo::kernels::cuda
