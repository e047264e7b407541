#include <ordo/autograd/ops/kl_div.h>

#include <ordo/autograd/ops/binary.h>
#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "kl_div", .family = "loss", .dtypes = kFloatingTypes});

Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction, bool log_target) {
  if (detail::raises(input, target)) return kl_div(detail::raise(input), detail::raise(target), reduction, log_target);
  const OpCall call("kl_div", input, target, reduction, log_target);
  detail::expect_loss_input("kl_div", input, "input");
  detail::expect_like("kl_div", input, "input", target, "target");
  detail::expect_reduction("kl_div", reduction, Reduction::batchmean);
  ORDO_CHECK(reduction != Reduction::batchmean || input.dim() > 0, ShapeError, "kl_div",
             "batchmean divides by the first dimension's size, but the input is 0-d");
  const Tensor x = detail::computed(input, input), t = detail::computed(target, input);
  const Tensor cross = log_target ? t - x : t * x;
  const Tensor losses = log_target ? exp(t) * cross : xlogy(t, t) - cross;
  if (reduction != Reduction::batchmean) return call.done(detail::reduced(losses, reduction, input));
  return call.done((sum(losses) / double(input.size(0))).to(input.dtype()));
}

}  // namespace ordo
