#include <ordo/kernels/norm/layer_norm.h>

#include <algorithm>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "layer_norm", .family = "norm", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "rms_norm", .family = "norm", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "group_norm", .family = "norm", .dtypes = kFloatingTypes});

const char* name_of(RowNorm kind) { return kind == RowNorm::layer ? "layer_norm" : "rms_norm"; }

DType wide_dtype(DType t) { return t == float64 ? float64 : float32; }

/// Checks that `shape` are the input's last dimensions.
RowNormShape row_norm_shape(RowNorm kind, const Tensor& input, const Dims& shape, double eps = 0) {
  const int first = input.dim() - shape.size();
  bool fits = shape.size() > 0 && first >= 0;
  for (int d = 0; fits && d < shape.size(); ++d) fits = input.sizes()[first + d] == shape[d];
  ORDO_CHECK(fits, ShapeError, name_of(kind),
             "normalized_shape must be the last dimensions of the input: it is {}, the input has {}", shape,
             input.sizes());
  RowNormShape s{.values = {}, .centered = kind == RowNorm::layer, .eps = eps};
  for (int d = 0; d < first; ++d) s.values.rows *= input.sizes()[d];
  s.values.inner = shape.product();
  return s;
}

RowNormShape group_norm_shape(const Tensor& input, int64_t groups, double eps = 0) {
  RowNormShape s{.values = {}, .eps = eps, .channels = input.size(1)};
  s.values.rows = input.size(0) * groups;
  s.values.parts = std::max<int64_t>(1, s.channels / groups);
  s.values.inner = s.channels / groups;
  for (int d = 2; d < input.dim(); ++d) s.values.inner *= input.size(d);
  return s;
}

/// A parameter in accumulation dtype.
Tensor parameter(const char* op, const Tensor& t, const char* name, const Tensor& input, const Dims& shape) {
  if (!t.defined()) return t;
  ordo::detail::expect_same_device(op, input, t);
  const DType wide = wide_dtype(input.dtype());
  ORDO_CHECK(t.dtype() == input.dtype() || t.dtype() == wide, DTypeError, op, "{} is {}, but the input is {}", name,
             t.dtype(), input.dtype());
  ORDO_CHECK(t.sizes() == shape, ShapeError, op, "{} must have the normalized_shape {}, but has {}", name, shape,
             t.sizes());
  return contiguous(cast(t, wide));
}

RowNormResult normalised(const char* op, const RowNormShape& s, const Tensor& input, const Dims& of_parameter,
                         const Tensor& weight, const Tensor& bias) {
  const Tensor w = parameter(op, weight, "weight", input, of_parameter),
               b = parameter(op, bias, "bias", input, of_parameter);
  const DType wide = wide_dtype(input.dtype());
  const auto of_rows = [&] { return ordo::detail::result({s.values.rows}, wide, input.device()); };
  const RowNormResult r{ordo::detail::result_like(input),
                        s.centered ? of_rows() : full({s.values.rows}, 0, wide, input.device()), of_rows()};
  ORDO_ON_DEVICE(input.device(), row_norm, s, contiguous(input), w, b, r);
  return r;
}

RowNormGradients gradients(const char* op, const RowNormShape& s, const Tensor& grad, const Tensor& input,
                           const Dims& of_parameter, const Tensor& weight, const RowNormResult& saved, bool for_input,
                           bool for_weight, bool for_bias) {
  const auto for_parameter = [&](bool wanted) {
    return wanted ? ordo::detail::result(of_parameter, wide_dtype(input.dtype()), input.device()) : Tensor();
  };
  RowNormGradients out{for_input ? ordo::detail::result_like(input) : Tensor(), for_parameter(for_weight),
                       for_parameter(for_bias)};
  ORDO_ON_DEVICE(input.device(), row_norm_backward, s, contiguous(grad), contiguous(input),
                 parameter(op, weight, "weight", input, of_parameter), saved, out);
  return out;
}

}  // namespace

RowNormResult row_norm(RowNorm kind, const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                       const Tensor& bias, double eps) {
  const char* op = name_of(kind);
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_floating(op, input);
  return normalised(op, row_norm_shape(kind, input, normalized_shape, eps), input, normalized_shape, weight, bias);
}

RowNormGradients row_norm_backward(RowNorm kind, const Tensor& grad, const Tensor& input, const Tensor& weight,
                                   const RowNormResult& saved, const Dims& normalized_shape, bool for_input,
                                   bool for_weight, bool for_bias) {
  return gradients(name_of(kind), row_norm_shape(kind, input, normalized_shape), grad, input, normalized_shape, weight,
                   saved, for_input, for_weight, for_bias);
}

RowNormResult group_norm(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps) {
  const ordo::detail::OperationName name("group_norm");
  return normalised("group_norm", group_norm_shape(input, groups, eps), input, {input.size(1)}, weight, bias);
}

RowNormGradients group_norm_backward(const Tensor& grad, const Tensor& input, int64_t groups, const Tensor& weight,
                                     const RowNormResult& saved, bool for_input, bool for_weight, bool for_bias) {
  const ordo::detail::OperationName name("group_norm_backward");
  return gradients("group_norm", group_norm_shape(input, groups), grad, input, {input.size(1)}, weight, saved,
                   for_input, for_weight, for_bias);
}

}  // namespace ordo::kernels
