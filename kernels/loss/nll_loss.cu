#include <ordo/engine/dispatch.h>
#include <ordo/kernels/loss/nll_loss_functors.h>
#include <ordo/kernels/reduce/each_cuda.cuh>
#include <ordo/kernels/reduce/reduce_cuda.cuh>

namespace ordo::kernels::cuda {

void nll_loss(const NllShape& s, const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& out,
              const Tensor& total_weight) {
  const IndexGuard guard("nll_loss", "target", input.dim() == 1 ? 0 : 1, s.classes, input.device());
  dispatch_floating("nll_loss", input.dtype(), [&]<class T>() {
    const NllSamples<T> samples{s, input.data<T>(), index_view(target, s.classes, guard),
                                weight.defined() ? weight.data<T>() : nullptr};
    if (s.reduction == LossReduction::none)
      each(target.numel(), NllElement<T>{samples, out.data<T>()}, input.device());
    else
      reduce(NllReducer<T>{samples, out.data<T>(), total_weight.data<accumulate_t<T>>()}, reduce_line(target.numel()),
             input.device());
  });
  guard.finish();
}

void nll_loss_backward(const NllShape& s, const Tensor& grad, const Tensor& target, const Tensor& weight,
                       const Tensor& total_weight, const Tensor& out) {
  dispatch_floating("nll_loss", grad.dtype(), [&]<class T>() {
    each(out.numel(),
         NllGradient<T>{s, grad.data<T>(), index_view(target), weight.defined() ? weight.data<T>() : nullptr,
                        total_weight.defined() ? total_weight.data<accumulate_t<T>>() : nullptr, out.data<T>()},
         grad.device());
  });
}

}  // namespace ordo::kernels::cuda
