#include <ordo/engine/calls/dispatch_word.h>
#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/copy/triangle.h>

namespace ordo::kernels::cuda {
namespace {

template <class T>
__global__ void triangle_kernel(int64_t numel, int64_t rows, int64_t columns, int64_t start, bool lower, T* out,
                                const T* in) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < numel; i += ordo::cuda::thread_count()) {
    const int64_t row = i / columns, column = i - row * columns;
    out[i] = (column < row % rows + start) == lower ? in[i] : T(0);
  }
}

}  // namespace

void triangle(const TriangleArgs& a) {
  ordo::cuda::DeviceScope scope(a.device);
  dispatch_word(a.element_size, [&]<class T>() {
    const int64_t numel = a.matrices * a.rows * a.columns;
    ordo::cuda::launch_over(triangle_kernel<T>, numel, ordo::cuda::current_stream(a.device), numel, a.rows, a.columns,
                            a.start, a.lower, static_cast<T*>(a.out), static_cast<const T*>(a.in));
  });
}

}  // namespace ordo::kernels::cuda
