#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/kernels/recurrent/recurrent_functors.h>

namespace ordo::kernels::cuda {

namespace {

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

template <class E>
void each(const E& element, int64_t rows, Device device) {
  const int64_t count = rows * element.width;
  if (count == 0) return;
  ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(recurrent_step_kernel<E>, count, ordo::cuda::current_stream(device), element, count);
}

}  // namespace

void recurrent_step(const RecurrentStep& s) {
  dispatch_floating("recurrent", s.dtype, [&]<class T>() {
    dispatch_recurrence(s.kind, [&]<Recurrence kKind>() { each(RecurrentElement<T, kKind>(s), s.rows, s.device); });
  });
}

void recurrent_step_back(const RecurrentStepBack& s) {
  dispatch_floating("recurrent", s.dtype, [&]<class T>() {
    dispatch_recurrence(s.kind, [&]<Recurrence kKind>() { each(RecurrentElementBack<T, kKind>(s), s.rows, s.device); });
  });
}

}  // namespace ordo::kernels::cuda
