#include <ordo/autograd/ops/loss_call.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo::detail {

void expect_loss_input(const char* op, const Tensor& t, const char* name) {
  expect_defined(op, t, name);
  expect_floating(op, t);
}

static void expect_shape_of(const char* op, const Tensor& input, const char* input_name, const Tensor& other,
                            const char* name) {
  ORDO_CHECK(input.sizes() == other.sizes(), ShapeError, op, "{} and {} must have one shape, but have {} and {}",
             input_name, name, input.sizes(), other.sizes());
}

void expect_like(const char* op, const Tensor& input, const char* input_name, const Tensor& other, const char* name) {
  expect_defined(op, other, name);
  expect_same_device(op, input, other);
  expect_same_dtype(op, input, other);
  expect_shape_of(op, input, input_name, other, name);
}

void expect_labels(const char* op, const Tensor& input, const Tensor& target) {
  expect_defined(op, target, "target");
  expect_same_device(op, input, target);
  expect_not_bool(op, target.dtype());
  if (is_floating(target.dtype())) expect_same_dtype(op, input, target);
  expect_shape_of(op, input, "input", target, "target");
}

void expect_weight(const char* op, const Tensor& input, const Tensor& weight, const char* name) {
  if (!weight.defined()) return;
  expect_same_device(op, input, weight);
  ORDO_CHECK(weight.dtype() == input.dtype(), DTypeError, op, "{} is {} but the input is {}", name, weight.dtype(),
             input.dtype());
  const int beyond = input.dim() - weight.dim();
  bool fits = beyond >= 0;
  for (int d = 0; fits && d < weight.dim(); ++d)
    fits = weight.sizes()[d] == 1 || weight.sizes()[d] == input.sizes()[d + beyond];
  ORDO_CHECK(fits, ShapeError, op, "{} of shape {} does not broadcast to the input's shape {}", name, weight.sizes(),
             input.sizes());
}

void expect_reduction(const char* op, Reduction reduction, Reduction last) {
  ORDO_CHECK(reduction <= last, ValueError, op, "number {} is not a reduction: there are none, mean{}", int(reduction),
             last == Reduction::sum ? " and sum" : ", sum and batchmean");
}

Tensor computed(const Tensor& t, const Tensor& input) { return t.to(input.dtype() == float64 ? float64 : float32); }

Tensor reduced(const Tensor& losses, Reduction reduction, const Tensor& input) {
  if (reduction == Reduction::none) return losses.to(input.dtype());
  return (reduction == Reduction::mean ? mean(losses) : sum(losses)).to(input.dtype());
}

}  // namespace ordo::detail
