#include <ordo/engine/cuda/cuda.h>
#include <ordo/kernels/recurrent/recurrent_functors.h>

namespace ordo::kernels::cuda {

template <class E>
__global__ void recurrent_step_kernel(E element, int64_t count) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < count; i += ordo::cuda::thread_count()) {
    const int64_t row = i / element.width, j = i - row * element.width;
    if (element.holds(row))
      element.hold(row, j);
    else
      element.advance(row, j);
  }
}

void recurrent_step(const RecurrentStep& s) {
  const int64_t count = s.rows * s.width;
  if (count == 0) return;
  ordo::cuda::DeviceScope scope(s.device);
  with_element(s, [&]<class E>(const E& element) {
    ordo::cuda::launch_over(recurrent_step_kernel<E>, count, ordo::cuda::current_stream(s.device), element, count);
  });
}

}  // namespace ordo::kernels::cuda
