#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/avg_pool_cuda.cuh>

namespace ordo::kernels::cuda {

void avg_pool(const Tensor& input, const Tensor& values, const SlidingWindows& windows) {
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows, input.device());
  });
}

void avg_pool_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm) {
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm,
                      grad.device());
  });
}

}  // namespace ordo::kernels::cuda
