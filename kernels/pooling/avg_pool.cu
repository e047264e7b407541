#include <ordo/engine/dispatch.h>
#include <ordo/kernels/pooling/avg_pool.h>
#include <ordo/kernels/pooling/avg_pool_cuda.cuh>

namespace ordo::kernels::cuda {

template <class Axis>
void avg_pool(const Tensor& input, const Tensor& values, const Windows<Axis>& windows) {
  dispatch_floating("avg_pool", input.dtype(), [&]<class T>() {
    avg_pool(input.data<T>(), values.data<T>(), values.numel() / windows.outputs(), windows, input.device());
  });
}

template <class Axis>
void avg_pool_backward(const Tensor& grad, const Tensor& output, const Windows<Axis>& windows, Algorithm algorithm) {
  dispatch_floating("avg_pool_backward", grad.dtype(), [&]<class T>() {
    avg_pool_backward(grad.data<T>(), output.data<T>(), grad.numel() / windows.outputs(), windows, algorithm,
                      grad.device());
  });
}

template void avg_pool(const Tensor&, const Tensor&, const SlidingWindows&);
template void avg_pool(const Tensor&, const Tensor&, const AdaptiveWindows&);
template void avg_pool_backward(const Tensor&, const Tensor&, const SlidingWindows&, Algorithm);
template void avg_pool_backward(const Tensor&, const Tensor&, const AdaptiveWindows&, Algorithm);

}  // namespace ordo::kernels::cuda
