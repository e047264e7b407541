#include <ordo/kernels/norm/norm.h>

#include <algorithm>

#include <ordo/engine/calls/dispatch.h>
#include <ordo/engine/calls/op_registry.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/reduce/axis_shape.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "batch_norm",
                  .family = "norm",
                  .dtypes = kFloatingTypes,
                  .note = "with the statistics of the batch, a row depends on all"});
ORDO_REGISTER_OPS({"layer_norm", "rms_norm", "group_norm"}, {.family = "norm", .dtypes = kFloatingTypes});

/// Not yet computed, in accumulation dtype.
Tensor wide_result(const Dims& sizes, const Tensor& input) {
  return ordo::detail::result(sizes, input.dtype() == float64 ? float64 : float32, input.device());
}

/// A parameter in accumulation dtype.
Tensor widened(const char* op, const Tensor& t, const char* name, const Tensor& input) {
  if (!t.defined()) return t;
  const DType wide = input.dtype() == float64 ? float64 : float32;
  ORDO_CHECK(t.dtype() == input.dtype() || t.dtype() == wide, DTypeError, op, "{} is {}, but the input is {}", name,
             t.dtype(), input.dtype());
  ordo::detail::expect_same_device(op, input, t);
  return contiguous(cast(t, wide));
}

BatchNormShape batch_norm_shape(const Tensor& input, bool training) {
  ORDO_CHECK(input.dim() >= 2, ShapeError, "batch_norm", "input must be [N, C] or [N, C, ...], but has shape {}",
             input.sizes());
  const AxisShape s = axis_shape(input.sizes(), 1);
  return {.values = {.outer = s.outer, .rows = s.length, .inner = s.inner}, .training = training};
}

Tensor of_channels(const Tensor& t, const char* name, const Tensor& input) {
  ORDO_CHECK(!t.defined() || t.sizes() == Dims({input.size(1)}), ShapeError, "batch_norm",
             "{} must have shape [{}], one per channel of an input of shape {}, but has {}", name, input.size(1),
             input.sizes(), t.sizes());
  return widened("batch_norm", t, name, input);
}

}  // namespace

NormResult batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                      const Tensor& bias, bool training, double momentum, double eps) {
  constexpr const char* kOp = "batch_norm";
  const ordo::detail::OperationName name(kOp);
  ordo::detail::expect_floating(kOp, input, "input");
  BatchNormShape s = batch_norm_shape(input, training);
  s.momentum = momentum;
  s.eps = eps;
  ORDO_CHECK(running_mean.defined() == running_var.defined(), ValueError, kOp,
             "running_mean and running_var come together or not at all");
  ORDO_CHECK(training || running_mean.defined(), ValueError, kOp,
             "needs running_mean and running_var when not training");
  ORDO_CHECK(!training || s.count() > 1 || s.channels() == 0, ValueError, kOp,
             "training needs more than one value per channel, but the input's shape is {}", input.sizes());
  const BatchNormTensors p{of_channels(running_mean, "running_mean", input),
                           of_channels(running_var, "running_var", input), of_channels(weight, "weight", input),
                           of_channels(bias, "bias", input)};
  NormResult r{ordo::detail::result_like(input), wide_result({s.channels()}, input),
               wide_result({s.channels()}, input)};
  ORDO_ON_DEVICE(input.device(), batch_norm, s, contiguous(input), p, r);
  if (training && running_mean.defined()) {
    if (!p.running_mean.is_same(running_mean)) copy_(running_mean, p.running_mean);
    if (!p.running_var.is_same(running_var)) copy_(running_var, p.running_var);
  }
  return r;
}

NormGradients batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                  const NormResult& saved, bool training) {
  const BatchNormShape s = batch_norm_shape(input, training);
  NormGradients out{ordo::detail::result_like(input), wide_result({s.channels()}, input),
                    wide_result({s.channels()}, input)};
  ORDO_ON_DEVICE(input.device(), batch_norm_backward, s, contiguous(grad), contiguous(input),
                 of_channels(weight, "weight", input), saved, out);
  return out;
}

RowNormShape row_norm_shape(RowNorm kind, const Tensor& input, const Dims& normalized_shape, double eps) {
  const bool centered = kind == RowNorm::layer;
  RowNormShape s{.op = centered ? "layer_norm" : "rms_norm",
                 .parameter = normalized_shape,
                 .values = {},
                 .centered = centered,
                 .eps = eps};
  ordo::detail::expect_floating(s.op, input, "input");
  const int first = input.dim() - normalized_shape.size();
  bool fits = normalized_shape.size() > 0 && first >= 0;
  for (int d = 0; fits && d < normalized_shape.size(); ++d) fits = input.sizes()[first + d] == normalized_shape[d];
  ORDO_CHECK(fits, ShapeError, s.op,
             "normalized_shape must be the last dimensions of the input: it is {}, the input has {}", normalized_shape,
             input.sizes());
  for (int d = 0; d < first; ++d) s.values.rows *= input.sizes()[d];
  s.values.inner = normalized_shape.product();
  return s;
}

RowNormShape group_norm_shape(const Tensor& input, int64_t groups, double eps) {
  const int64_t channels = input.size(1);
  RowNormShape s{.op = "group_norm", .parameter = {channels}, .values = {}, .eps = eps, .channels = channels};
  s.values.rows = input.size(0) * groups;
  s.values.parts = std::max<int64_t>(1, channels / groups);
  s.values.inner = channels / groups * axis_shape(input.sizes(), 1).inner;
  return s;
}

static Tensor of_shape(const RowNormShape& s, const Tensor& t, const char* name, const Tensor& input) {
  ORDO_CHECK(!t.defined() || t.sizes() == s.parameter, ShapeError, s.op,
             "{} must have the normalized_shape {}, but has {}", name, s.parameter, t.sizes());
  return widened(s.op, t, name, input);
}

NormResult row_norm(const RowNormShape& s, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  const ordo::detail::OperationName name(s.op);
  const Tensor w = of_shape(s, weight, "weight", input), b = of_shape(s, bias, "bias", input);
  const NormResult r{ordo::detail::result_like(input), wide_result({s.values.rows}, input),
                     wide_result({s.values.rows}, input)};
  if (!s.centered) fill_(r.mean, 0);
  ORDO_ON_DEVICE(input.device(), row_norm, s, contiguous(input), w, b, r);
  return r;
}

NormGradients row_norm_backward(const RowNormShape& s, const Tensor& grad, const Tensor& input, const Tensor& weight,
                                const NormResult& saved, bool for_input, bool for_weight, bool for_bias) {
  NormGradients out{for_input ? ordo::detail::result_like(input) : Tensor(),
                    for_weight ? wide_result(s.parameter, input) : Tensor(),
                    for_bias ? wide_result(s.parameter, input) : Tensor()};
  ORDO_ON_DEVICE(input.device(), row_norm_backward, s, contiguous(grad), contiguous(input),
                 of_shape(s, weight, "weight", input), saved, out);
  return out;
}

}  // namespace ordo::kernels
