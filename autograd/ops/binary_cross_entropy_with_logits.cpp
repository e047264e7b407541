#include <ordo/autograd/ops/binary_cross_entropy_with_logits.h>

#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {
namespace {

constexpr const char* kOp = "binary_cross_entropy_with_logits";

/// max(x, 0) - x t + log(1 + exp(-|x|)), whose derivative is sigmoid(x) - t.
Tensor element_losses(const OpCall& call, const Tensor& x, const Tensor& t) {
  Tensor out;
  {
    NoGrad guard;
    out = relu(x) - x * t + log1p(exp(neg(abs(x))));
  }
  if (!detail::recorded(x, t)) return call.done(std::move(out));
  return record(
      call, std::move(out), {x, t},
      [x = Saved(x), t = Saved(t), for_x = x.requires_grad(),
       for_t = t.requires_grad()](const Tensor& grad) -> TensorList {
        return {for_x ? grad * (sigmoid(x.get()) - t.get()) : Tensor(), for_t ? neg(grad * x.get()) : Tensor()};
      });
}

/// (1 - t) x - (1 + (q - 1) t) log(sigmoid(x)); in float for the half types.
Tensor element_losses(const Tensor& x, const Tensor& t, const Tensor& pos_weight) {
  const Tensor log_p = logsigmoid(x), of_ones = ((pos_weight - 1) * t + 1) * log_p;
  return (1 - t) * x - of_ones;
}

}  // namespace

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, const Tensor& weight,
                                        Reduction reduction, const Tensor& pos_weight) {
  if (detail::raises(logits, target, weight, pos_weight))
    return binary_cross_entropy_with_logits(detail::raise(logits), detail::raise(target), detail::raise(weight),
                                            reduction, detail::raise(pos_weight));
  const OpCall call(kOp, logits, target, weight, reduction, pos_weight);
  detail::expect_loss_input(kOp, logits, "logits");
  detail::expect_like(kOp, logits, "logits", target, "target");
  detail::expect_weight(kOp, logits, weight, "weight");
  detail::expect_weight(kOp, logits, pos_weight, "pos_weight");
  detail::expect_reduction(kOp, reduction);
  const bool plain = !weight.defined() && !pos_weight.defined();
  if (plain && reduction == Reduction::none) return element_losses(call, logits, target);
  if (plain) {
    const Tensor losses = [&] {
      const OpCall each(kOp, logits, target);
      return element_losses(each, logits, target);
    }();
    return call.done(reduction == Reduction::mean ? mean(losses) : sum(losses));
  }
  const Tensor x = detail::computed(logits, logits), t = detail::computed(target, logits);
  Tensor losses = [&] {
    const OpCall each(kOp, x, t, pos_weight);
    return pos_weight.defined() ? each.done(element_losses(x, t, detail::computed(pos_weight, logits)))
                                : element_losses(each, x, t);
  }();
  if (weight.defined()) losses = losses * detail::computed(weight, logits);
  return call.done(detail::reduced(losses, reduction, logits));
}

}  // namespace ordo
