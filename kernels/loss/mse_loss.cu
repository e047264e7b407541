#include <ordo/engine/dispatch.h>
#include <ordo/kernels/loss/mse_loss_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void pair_loss(const PairLoss& loss, const Tensor& a, const Tensor& b, const Tensor& out, LossReduction reduction) {
  const int64_t n = a.numel();
  dispatch_floating(loss.op, a.dtype(), [&]<class T>() {
    with_pair_loss<T>(
        loss, a.data<T>(), b.data<T>(), out.data<T>(), n, reduction, [&](const auto& f) { each(n, f, a.device()); },
        [&](const auto& r) { reduce(r, reduce_line(n), a.device()); });
  });
}

void pair_loss_backward(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b, const Tensor& out,
                        LossReduction reduction) {
  const int64_t n = a.numel();
  dispatch_floating(loss.op, a.dtype(), [&]<class T>() {
    with_pair_gradient<T>(loss, grad.data<T>(), a.data<T>(), b.data<T>(), out.data<T>(), n, reduction,
                          [&](const auto& f) { each(n, f, a.device()); });
  });
}

}  // namespace ordo::kernels::cuda
