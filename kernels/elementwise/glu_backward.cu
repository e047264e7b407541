#include <ordo/engine/calls/dispatch.h>
#include <ordo/kernels/elementwise/glu_backward.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void glu_backward(const Tensor& grad, const Tensor& x, const Tensor& out, int64_t half) {
  dispatch_floating("glu", x.dtype(), [&]<class T>() {
    each(grad.numel(), GluBackward<T>{grad.data<T>(), x.data<T>(), out.data<T>(), Divisor(half)}, x.device());
  });
}

}  // namespace ordo::kernels::cuda
