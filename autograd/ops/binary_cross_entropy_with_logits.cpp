#include <ordo/autograd/ops/binary_cross_entropy_with_logits.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/engine/check.h>

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

}  // namespace

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target, Reduction reduction) {
  const OpCall call(kOp, logits, target, reduction);
  detail::expect_defined(kOp, logits, "logits");
  detail::expect_defined(kOp, target, "target");
  detail::expect_floating(kOp, logits);
  detail::expect_same_dtype(kOp, logits, target);
  detail::expect_same_device(kOp, logits, target);
  ORDO_CHECK(reduction <= Reduction::sum, ValueError, kOp, "number {} is not a reduction: there are none, mean and sum",
             int(reduction));
  ORDO_CHECK(logits.sizes() == target.sizes(), ShapeError, kOp,
             "logits and target must have one shape, but have {} and {}", logits.sizes(), target.sizes());
  if (reduction == Reduction::none) return element_losses(call, logits, target);
  const Tensor losses = [&] {
    const OpCall each(kOp, logits, target);
    return element_losses(each, logits, target);
  }();
  return call.done(reduction == Reduction::mean ? mean(losses) : sum(losses));
}

}  // namespace ordo
