#include <ordo/autograd/ops/smooth_l1_loss.h>

#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/comparison.h>
#include <ordo/autograd/ops/gradient.h>
#include <ordo/autograd/ops/mse_loss.h>
#include <ordo/autograd/ops/sum.h>
#include <ordo/autograd/ops/unary.h>
#include <ordo/autograd/ops/where.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo {
namespace {

void check(const char* op, const Tensor& a, const Tensor& b, Reduction reduction) {
  detail::expect_defined(op, a, "input");
  detail::expect_defined(op, b, "target");
  detail::expect_floating(op, a);
  detail::expect_same_dtype(op, a, b);
  detail::expect_same_device(op, a, b);
  ORDO_CHECK(reduction <= Reduction::sum, ValueError, op, "number {} is not a reduction: there are none, mean and sum",
             int(reduction));
  ORDO_CHECK(a.sizes() == b.sizes(), ShapeError, op, "input and target must have one shape, but have {} and {}",
             a.sizes(), b.sizes());
}

/// factor (d^2 / 2) where |d| < bend, factor bend (|d| - bend / 2) elsewhere.
Tensor element_losses(const OpCall& call, const Tensor& a, const Tensor& b, double bend, double factor) {
  Tensor out;
  {
    const NoGrad guard;
    const Tensor d = a - b, size = abs(d);
    out = where(lt(size, bend), d * d * (0.5 * factor), (size - 0.5 * bend) * (factor * bend));
  }
  if (!detail::recorded(a, b)) return call.done(std::move(out));
  return record(call, std::move(out), {a, b},
                [bend, factor, a = Saved(a), b = Saved(b), for_a = a.requires_grad(),
                 for_b = b.requires_grad()](const Tensor& grad) -> TensorList {
                  const Tensor g = grad * (clamp(a.get() - b.get(), -bend, bend) * factor);
                  return {for_a ? g : Tensor(), for_b ? neg(g) : Tensor()};
                });
}

Tensor reduced(const char* op, const OpCall& call, const Tensor& a, const Tensor& b, Reduction reduction, double bend,
               double factor) {
  if (reduction == Reduction::none) return element_losses(call, a, b, bend, factor);
  const Tensor losses = [&] {
    const OpCall each(op, a, b);
    return element_losses(each, a, b, bend, factor);
  }();
  return call.done(reduction == Reduction::mean ? mean(losses) : sum(losses));
}

}  // namespace

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, double beta) {
  const OpCall call("smooth_l1_loss", input, target, reduction, beta);
  check("smooth_l1_loss", input, target, reduction);
  ORDO_CHECK(beta >= 0, ValueError, "smooth_l1_loss", "beta must not be negative, but is {}", beta);
  if (beta == 0) return call.done(l1_loss(input, target, reduction));
  return reduced("smooth_l1_loss", call, input, target, reduction, beta, 1 / beta);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction, double delta) {
  const OpCall call("huber_loss", input, target, reduction, delta);
  check("huber_loss", input, target, reduction);
  ORDO_CHECK(delta > 0, ValueError, "huber_loss", "delta must be positive, but is {}", delta);
  return reduced("huber_loss", call, input, target, reduction, delta, 1);
}

}  // namespace ordo
