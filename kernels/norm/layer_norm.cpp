#include <ordo/kernels/norm/layer_norm.h>

#include <ordo/engine/dispatch.h>
#include <ordo/engine/op_registry.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/kernels/copy/copy.h>

namespace ordo::kernels {
namespace {

ORDO_REGISTER_OP({.name = "layer_norm", .family = "norm", .dtypes = kFloatingTypes});
ORDO_REGISTER_OP({.name = "rms_norm", .family = "norm", .dtypes = kFloatingTypes});

const char* name_of(RowNorm kind) { return kind == RowNorm::layer ? "layer_norm" : "rms_norm"; }

DType wide_dtype(DType t) { return t == float64 ? float64 : float32; }

/// Checks that `shape` are the input's last dimensions.
RowNormShape row_norm_shape(const char* op, const Tensor& input, const Dims& shape) {
  const int first = input.dim() - shape.size();
  bool fits = shape.size() > 0 && first >= 0;
  for (int d = 0; fits && d < shape.size(); ++d) fits = input.sizes()[first + d] == shape[d];
  ORDO_CHECK(fits, ShapeError, op,
             "normalized_shape must be the last dimensions of the input: it is {}, the input has {}", shape,
             input.sizes());
  RowNormShape s;
  for (int d = 0; d < first; ++d) s.rows *= input.sizes()[d];
  s.columns = shape.product();
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

}  // namespace

RowNormResult row_norm(RowNorm kind, const Tensor& input, const Dims& normalized_shape, const Tensor& weight,
                       const Tensor& bias, double eps) {
  const char* op = name_of(kind);
  const ordo::detail::OperationName name(op);
  ordo::detail::expect_defined(op, input, "input");
  ordo::detail::expect_floating(op, input);
  RowNormShape s = row_norm_shape(op, input, normalized_shape);
  s.centered = kind == RowNorm::layer;
  s.eps = eps;
  const Tensor w = parameter(op, weight, "weight", input, normalized_shape),
               b = parameter(op, bias, "bias", input, normalized_shape);
  const DType wide = wide_dtype(input.dtype());
  RowNormResult r{
      ordo::detail::result_like(input),
      s.centered ? ordo::detail::result({s.rows}, wide, input.device()) : full({s.rows}, 0, wide, input.device()),
      ordo::detail::result({s.rows}, wide, input.device())};
  ORDO_ON_DEVICE(input.device(), row_norm, s, contiguous(input), w, b, r);
  return r;
}

RowNormGradients row_norm_backward(RowNorm kind, const Tensor& grad, const Tensor& input, const Tensor& weight,
                                   const RowNormResult& saved, const Dims& normalized_shape, bool for_input,
                                   bool for_weight, bool for_bias) {
  const char* op = name_of(kind);
  RowNormShape s = row_norm_shape(op, input, normalized_shape);
  s.centered = kind == RowNorm::layer;
  const DType wide = wide_dtype(input.dtype());
  const auto of_parameter = [&] { return ordo::detail::result(normalized_shape, wide, input.device()); };
  RowNormGradients out{for_input ? ordo::detail::result_like(input) : Tensor(), for_weight ? of_parameter() : Tensor(),
                       for_bias ? of_parameter() : Tensor()};
  ORDO_ON_DEVICE(input.device(), row_norm_backward, s, contiguous(grad), contiguous(input),
                 parameter(op, weight, "weight", input, normalized_shape), saved, out);
  return out;
}

}  // namespace ordo::kernels
