#include <ordo/engine/cuda/cuda.h>
#include <ordo/engine/dispatch.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/optim/functors.h>

namespace ordo::kernels::cuda {

namespace {

template <class F>
__global__ void optimizer_step_kernel(F element, int64_t n) {
  ORDO_NO_UNROLL
  for (int64_t i = ordo::cuda::thread_index(); i < n; i += ordo::cuda::thread_count()) element(i);
}

template <class F>
void each(const F& element, int64_t n, Device device) {
  if (n == 0) return;
  ordo::cuda::DeviceScope scope(device);
  ordo::cuda::launch_over(optimizer_step_kernel<F>, n, ordo::cuda::current_stream(device), element, n);
}

}  // namespace

void sgd_step(const Tensor& parameter, const Tensor& grad, const Tensor& momentum, const SgdStep& step) {
  dispatch_floating("SGD", parameter.dtype(), [&]<class T>() {
    each(SgdElement<T>(parameter.data<T>(), grad.data<T>(), momentum.defined() ? momentum.data<T>() : nullptr, step),
         parameter.numel(), parameter.device());
  });
}

void adam_step(const Tensor& parameter, const Tensor& grad, const Tensor& first, const Tensor& second,
               const AdamStep& step) {
  dispatch_floating("Adam", parameter.dtype(), [&]<class T>() {
    each(AdamElement<T>(parameter.data<T>(), grad.data<T>(), first.data<T>(), second.data<T>(), step),
         parameter.numel(), parameter.device());
  });
}

}  // namespace ordo::kernels::cuda
