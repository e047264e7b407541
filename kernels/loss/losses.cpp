#include <ordo/kernels/loss/losses.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>
#include <ordo/kernels/reduce/axis_shape.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OPS({"mse_loss", "l1_loss", "binary_cross_entropy_with_logits", "cross_entropy", "huber_loss",
                   "smooth_l1_loss", "nll_loss"},
                  {.family = "loss", .dtypes = kFloatingTypes});

constexpr const char* kOp = "nll_loss";

NllShape nll_shape(const Dims& sizes, DType dtype, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                   LossReduction reduction) {
  ORDO_CHECK(sizes.size() > 0, ShapeError, kOp, "input must have a class dimension, but is 0-d");
  const int dim = sizes.size() == 1 ? 0 : 1;
  Dims expected = sizes;
  expected.erase(dim);
  ORDO_CHECK(
      target.sizes() == expected, ShapeError, kOp,
      "target must have shape {} for an input of shape {}, but has {}; the classes are dimension {} of the input",
      expected, sizes, target.sizes(), dim);
  ORDO_CHECK(reduction <= LossReduction::sum, ValueError, kOp,
             "number {} is not a reduction: there are none, mean and sum", int(reduction));
  const AxisShape along = axis_shape(sizes, dim);
  const NllShape s{along.outer, along.length, along.inner, ignore_index, reduction};
  if (weight.defined()) {
    ORDO_CHECK(weight.sizes() == Dims({s.classes}), ShapeError, kOp,
               "weight must have shape [{}], one per class, but has {}", s.classes, weight.sizes());
    ORDO_CHECK(weight.dtype() == dtype, DTypeError, kOp, "weight is {} but the input is {}", weight.dtype(), dtype);
  }
  return s;
}

void check_arguments(const Tensor& input, const Tensor& target, const Tensor& weight) {
  ordo::detail::expect_defined(kOp, input, "input");
  ordo::detail::expect_defined(kOp, target, "target");
  ordo::detail::expect_floating(kOp, input);
  ordo::detail::expect_index_dtype(kOp, target);
  ordo::detail::expect_same_device(kOp, input, target);
  ordo::detail::expect_same_device(kOp, input, weight);
}

}  // namespace

std::pair<Tensor, Tensor> nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight,
                                   int64_t ignore_index, LossReduction reduction) {
  const ordo::detail::OperationName name("nll_loss");
  check_arguments(input, target, weight);
  const NllShape s = nll_shape(input.sizes(), input.dtype(), target, weight, ignore_index, reduction);
  const bool none = reduction == LossReduction::none;
  std::pair<Tensor, Tensor> out;
  out.first = ordo::detail::result(none ? target.sizes() : Dims(), input.dtype(), input.device());
  if (!none) out.second = ordo::detail::result({}, input.dtype() == float64 ? float64 : float32, input.device());
  ORDO_ON_DEVICE(input.device(), nll_loss, s, contiguous(input), contiguous(target), contiguous_or_none(weight),
                 out.first, out.second);
  return out;
}

Tensor nll_loss_backward(const Tensor& grad, const Dims& sizes, const Tensor& target, const Tensor& weight,
                         int64_t ignore_index, LossReduction reduction, const Tensor& total_weight) {
  check_arguments(grad, target, weight);
  const NllShape s = nll_shape(sizes, grad.dtype(), target, weight, ignore_index, reduction);
  Tensor out = full(sizes, 0, grad.dtype(), grad.device());
  ORDO_ON_DEVICE(grad.device(), nll_loss_backward, s, contiguous(grad), contiguous(target), contiguous_or_none(weight),
                 total_weight, out);
  return out;
}

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
  ORDO_ON_DEVICE(a.device(), pair_loss, loss, Tensor(), contiguous(a), contiguous(b), out, reduction);
  return out;
}

Tensor pair_loss_backward(const PairLoss& loss, const Tensor& grad, const Tensor& a, const Tensor& b,
                          LossReduction reduction) {
  Tensor out = ordo::detail::result_like(a);
  ORDO_ON_DEVICE(a.device(), pair_loss, loss, contiguous(grad), contiguous(a), contiguous(b), out, reduction);
  return out;
}

}  // namespace ordo::kernels
