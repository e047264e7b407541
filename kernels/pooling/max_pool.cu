#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/max_pool.h>
#include <ordo/kernels/pooling/max_pool_cuda.cuh>

namespace ordo::kernels::cuda {

template <class Axis>
void max_pool(const Tensor& input, const Tensor& values, const Tensor& indices, const Windows<Axis>& windows) {
  dispatch_floating("max_pool", input.dtype(), [&]<class T>() {
    max_pool(input.data<T>(), values.data<T>(), indices.defined() ? indices.data<int64_t>() : nullptr,
             values.numel() / windows.outputs(), windows, input.device());
  });
}

template <class Axis>
void max_pool_backward(const Tensor& grad, const Tensor& indices, const Tensor& output, const Windows<Axis>& windows,
                       Algorithm algorithm) {
  dispatch_floating("max_pool_backward", grad.dtype(), [&]<class T>() {
    max_pool_backward(grad.data<T>(), indices.data<int64_t>(), output.data<T>(), grad.numel() / windows.outputs(),
                      windows, algorithm, grad.device());
  });
}

template void max_pool(const Tensor&, const Tensor&, const Tensor&, const SlidingWindows&);
template void max_pool(const Tensor&, const Tensor&, const Tensor&, const AdaptiveWindows&);
template void max_pool_backward(const Tensor&, const Tensor&, const Tensor&, const SlidingWindows&, Algorithm);
template void max_pool_backward(const Tensor&, const Tensor&, const Tensor&, const AdaptiveWindows&, Algorithm);

}  // namespace ordo::kernels::cuda
