#include <ordo/autograd/ops/nll_loss.h>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/loss/nll_loss.h>

namespace ordo {
namespace {

struct NllContext {
  Dims sizes;
  Saved target, weight;
  Tensor total_weight;
  int64_t ignore_index;
  Reduction reduction;

  Tensor weight_or_none() const { return weight.defined() ? weight.get() : Tensor(); }
};

// The loss is linear in its input, so the gradient of its gradient is the loss again.
Tensor nll_loss_backward(const Tensor& grad, const NllContext& c) {
  const OpCall call("nll_loss_backward", grad, c.target.get(), c.weight_or_none(), c.ignore_index, c.reduction);
  return record(call,
                kernels::nll_loss_backward(grad, c.sizes, c.target.get(), c.weight_or_none(), c.ignore_index,
                                           kernels::LossReduction(c.reduction), c.total_weight),
                {grad}, [c](const Tensor& second) -> TensorList {
                  return {nll_loss(second, c.target.get(), c.weight_or_none(), c.ignore_index, c.reduction)};
                });
}

}  // namespace

Tensor nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                Reduction reduction) {
  if (detail::raises(input, weight))
    return nll_loss(detail::raise(input), target, detail::raise(weight), ignore_index, reduction);
  const OpCall call("nll_loss", input, target, weight, ignore_index, reduction);
  auto [loss, total_weight] = kernels::nll_loss(input, target, weight, ignore_index, kernels::LossReduction(reduction));
  if (!grad_enabled() || !input.requires_grad()) return call.done(std::move(loss));
  const NllContext context{input.sizes(), Saved(target), weight.defined() ? Saved(weight) : Saved(),
                           total_weight,  ignore_index,  reduction};
  return record(call, loss, {input},
                [context](const Tensor& grad) -> TensorList { return {nll_loss_backward(grad, context)}; });
}

}  // namespace ordo
