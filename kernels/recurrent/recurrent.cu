#include <ordo/kernels/recurrent/recurrent_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

template <class E>
struct RecurrentPlace {
  E element;
  ORDO_HD void operator()(int64_t i) const {
    const int64_t row = i / element.width, j = i - row * element.width;
    if (element.holds(row))
      element.hold(row, j);
    else
      element.advance(row, j);
  }
};

void recurrent_step(const RecurrentStep& s) {
  with_element(s, [&]<class E>(const E& element) { each(s.rows * s.width, RecurrentPlace<E>{element}, s.device); });
}

}  // namespace ordo::kernels::cuda
