#include <ordo/kernels/loss/mse_loss.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {

ORDO_REGISTER_OPS({"mse_loss", "l1_loss", "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss",
                   "smooth_l1_loss"},
                  {.family = "loss", .dtypes = kFloatingTypes});

Tensor pair_loss(const PairLoss& loss, const Tensor& a, const Tensor& b, LossReduction reduction) {
  const char* op = loss.op;
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, a, "input");
  ordo::detail::expect_defined(op, b, "target");
  ordo::detail::expect_floating(op, a);
  ordo::detail::expect_same_dtype(op, a, b);
  ordo::detail::expect_same_device(op, a, b);
  ORDO_CHECK(reduction <= LossReduction::sum, ValueError, op,
             "number {} is not a reduction: there are none, mean and sum", int(reduction));
  ORDO_CHECK(a.sizes() == b.sizes(), ShapeError, op,
             "input and target must have one shape, but have {} and {}; expand one to average over their broadcast",
             a.sizes(), b.sizes());
  Tensor out = ordo::detail::result(reduction == LossReduction::none ? a.sizes() : Dims(), a.dtype(), a.device());
  ORDO_ON_DEVICE(a.device(), pair_loss, loss, contiguous(a), contiguous(b), out, reduction);
  return out;
}

Tensor pair_loss_backward(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b,
                          LossReduction reduction) {
  Tensor out = ordo::detail::result_like(a);
  ORDO_ON_DEVICE(a.device(), pair_loss_backward, loss, contiguous(grad), contiguous(a), contiguous(b), out, reduction);
  return out;
}

}  // namespace ordo::kernels
