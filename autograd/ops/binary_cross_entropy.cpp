#include <ordo/autograd/ops/binary_cross_entropy.h>

#include <ordo/autograd/ops/loss_call.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/elementwise/binary_functions.h>
#include <ordo/kernels/loss/binary_cross_entropy_slope.h>

namespace ordo {
namespace {

constexpr const char* kOp = "binary_cross_entropy";

ORDO_REGISTER_OP({.name = kOp, .family = "loss", .dtypes = kFloatingTypes});

void expect_probabilities(const Tensor& x) {
  if (!x.device().is_cpu() || x.numel() == 0) return;
  const Tensor values = x.detach();
  const double least = amin(values).item<double>(), greatest = amax(values).item<double>();
  ORDO_CHECK(least >= 0 && greatest <= 1, ValueError, kOp,
             "input must lie in [0, 1], but its elements reach from {} to {}", least, greatest);
}

Tensor element_losses(const Tensor& x, const Tensor& t) {
  const OpCall call(kOp, x, t);
  Tensor out = kernels::binary_cross_entropy(x, t);
  if (!detail::recorded(x, t)) return call.done(std::move(out));
  return record(call, std::move(out), {x, t},
                [x = Saved(x), t = Saved(t), for_x = x.requires_grad(),
                 for_t = t.requires_grad()](const Tensor& grad) -> TensorList {
                  const Tensor p = x.get();
                  const auto slope = [&] {
                    if (p.is_cpu() && !grad_enabled()) return kernels::binary_cross_entropy_slope(p, t.get());
                    const Tensor spread = clamp((1 - p) * p, 1e-12);
                    return (p - t.get()) / spread;
                  };
                  const auto target_slope = [&] {
                    const Tensor log_p = log(p);
                    return log1p(neg(p)) - log_p;
                  };
                  return {for_x ? grad * slope() : Tensor(), for_t ? grad * target_slope() : Tensor()};
                });
}

}  // namespace

Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, Reduction reduction) {
  if (detail::raises(input, target, weight))
    return binary_cross_entropy(detail::raise(input), detail::raise(target), detail::raise(weight), reduction);
  const OpCall call(kOp, input, target, weight, reduction);
  detail::expect_loss_input(kOp, input, "input");
  detail::expect_like(kOp, input, "input", target, "target");
  detail::expect_weight(kOp, input, weight, "weight");
  detail::expect_reduction(kOp, reduction);
  expect_probabilities(input);
  Tensor losses = element_losses(detail::computed(input, input), detail::computed(target, input));
  if (weight.defined()) losses = losses * detail::computed(weight, input);
  return call.done(detail::reduced(losses, reduction, input));
}

}  // namespace ordo
