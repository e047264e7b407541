#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/max_pool.h>
#include <ordo/kernels/pooling/max_pool_cuda.cuh>

namespace ordo::kernels::cuda {

void max_pool(const Tensor& input, const Tensor& values, const Tensor& indices, const SlidingWindows& windows) {
  dispatch_floating("max_pool", input.dtype(), [&]<class T>() {
    max_pool(input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr,
             values.numel() / windows.outputs(), windows, input.device());
  });
}

void max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const SlidingWindows& windows,
                       Algorithm algorithm) {
  dispatch_floating("max_pool_backward", grad.dtype(), [&]<class T>() {
    max_pool_backward(grad.data<T>(), indices.data<int64_t>(), output.data<T>(), grad.numel() / windows.outputs(),
                      windows, algorithm, grad.device());
  });
}

}  // namespace ordo::kernels::cuda
