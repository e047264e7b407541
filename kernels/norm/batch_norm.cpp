#include <ordo/kernels/norm/batch_norm.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "batch_norm", .family = "norm", .dtypes = kFloatingTypes});

constexpr const char* kOp = "batch_norm";

BatchNormShape batch_norm_shape(const Tensor& input) {
  ORDO_CHECK(input.dim() >= 2, ShapeError, kOp, "input must be [N, C] or [N, C, ...], but has shape {}", input.sizes());
  BatchNormShape s;
  s.values.outer = input.sizes()[0];
  s.values.rows = input.sizes()[1];
  for (int d = 2; d < input.dim(); ++d) s.values.inner *= input.sizes()[d];
  return s;
}

DType accumulation_dtype(DType t) { return t == float64 ? float64 : float32; }

/// A parameter in accumulation dtype.
Tensor parameter(const Tensor& t, const char* name, const Tensor& input) {
  if (!t.defined()) return t;
  const DType wide = accumulation_dtype(input.dtype());
  ORDO_CHECK(t.sizes() == Dims({input.sizes()[1]}), ShapeError, kOp,
             "{} must have shape [{}], one per channel of an input of shape {}, but has {}", name, input.sizes()[1],
             input.sizes(), t.sizes());
  ORDO_CHECK(t.dtype() == input.dtype() || t.dtype() == wide, DTypeError, kOp, "{} is {}, but the input is {}", name,
             t.dtype(), input.dtype());
  ordo::detail::expect_same_device(kOp, input, t);
  return contiguous(cast(t, wide));
}

}  // namespace

BatchNormResult batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var,
                           const Tensor& weight, const Tensor& bias, bool training, double momentum, double eps) {
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_defined(kOp, input, "input");
  ordo::detail::expect_floating(kOp, input);
  BatchNormShape s = batch_norm_shape(input);
  s.training = training;
  s.momentum = momentum;
  s.eps = eps;
  ORDO_CHECK(running_mean.defined() == running_var.defined(), ValueError, kOp,
             "running_mean and running_var come together or not at all");
  ORDO_CHECK(training || running_mean.defined(), ValueError, kOp,
             "needs running_mean and running_var when not training");
  ORDO_CHECK(!training || s.count() > 1 || s.channels() == 0, ValueError, kOp,
             "training needs more than one value per channel, but the input's shape is {}", input.sizes());
  const BatchNormTensors p{parameter(running_mean, "running_mean", input), parameter(running_var, "running_var", input),
                           parameter(weight, "weight", input), parameter(bias, "bias", input)};
  const DType wide = accumulation_dtype(input.dtype());
  BatchNormResult r{ordo::detail::result_like(input), ordo::detail::result({s.channels()}, wide, input.device()),
                    ordo::detail::result({s.channels()}, wide, input.device())};
  ORDO_ON_DEVICE(input.device(), batch_norm, s, contiguous(input), p, r);
  if (training && running_mean.defined()) {
    if (!p.running_mean.is_same(running_mean)) copy_(running_mean, p.running_mean);
    if (!p.running_var.is_same(running_var)) copy_(running_var, p.running_var);
  }
  return r;
}

BatchNormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                       const BatchNormResult& saved, bool training) {
  BatchNormShape s = batch_norm_shape(input);
  s.training = training;
  const DType wide = accumulation_dtype(input.dtype());
  const auto per_channel = [&] { return ordo::detail::result({s.channels()}, wide, input.device()); };
  BatchNormGradients out{ordo::detail::result_like(input), per_channel(), per_channel()};
  ORDO_ON_DEVICE(input.device(), batch_norm_backward, s, contiguous(grad), contiguous(input),
                 parameter(weight, "weight", input), saved, out);
  return out;
}

}  // namespace ordo::kernels
