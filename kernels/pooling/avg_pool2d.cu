#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/avg_pool2d.h>
#include <ordo/kernels/pooling/avg_pool_cuda.cuh>

namespace ordo::kernels::cuda {

void avg_pool2d(const Tensor& input, const Tensor& values, const SlidingWindows& windows) {
  dispatch_floating("avg_pool2d", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows, input.device());
  });
}

void avg_pool2d_backward(const Tensor& grad, const Tensor& output, const SlidingWindows& windows, Algorithm algorithm) {
  dispatch_floating("avg_pool2d_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm,
                      grad.device());
  });
}

}  // namespace ordo::kernels::cuda
