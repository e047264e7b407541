#include <ordo/kernels/loss/nll_loss.h>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "nll_loss", .family = "loss", .dtypes = kFloatingTypes});

constexpr const char* kOp = "nll_loss";

NllShape nll_shape(const Dims& sizes, DType dtype, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                   LossReduction reduction) {
  ORDO_CHECK(sizes.size() > 0, ShapeError, kOp, "input must have a class dimension, but is 0-d");
  Dims expected;
  for (int d = 0; d < sizes.size(); ++d)
    if (d != (sizes.size() == 1 ? 0 : 1)) expected.push_back(sizes[d]);
  ORDO_CHECK(
      target.sizes() == expected, ShapeError, kOp,
      "target must have shape {} for an input of shape {}, but has {}; the classes are dimension {} of the input",
      expected, sizes, target.sizes(), sizes.size() == 1 ? 0 : 1);
  ORDO_CHECK(reduction <= LossReduction::sum, ValueError, kOp,
             "number {} is not a reduction: there are none, mean and sum", int(reduction));
  NllShape s{1, sizes[0], 1, ignore_index, reduction};
  if (sizes.size() > 1) {
    s.samples = sizes[0];
    s.classes = sizes[1];
    for (int d = 2; d < sizes.size(); ++d) s.inner *= sizes[d];
  }
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

Tensor contiguous_or_none(const Tensor& t) { return t.defined() ? contiguous(t) : t; }

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

}  // namespace ordo::kernels
