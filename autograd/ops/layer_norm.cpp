#include <ordo/autograd/ops/layer_norm.h>

#include <algorithm>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/norm/group_norm.h>
#include <ordo/kernels/norm/layer_norm.h>

namespace ordo {
namespace {

/// Of rows [rows, columns] in accumulation dtype, in differentiable operations.
struct ComposedRows {
  Tensor invstd, normal;
  bool centered;
  ComposedRows(const Tensor& x, double eps, bool centered) : centered(centered) {
    const Tensor center = centered ? x - mean(x, {1}, true) : x;
    invstd = rsqrt(mean(center * center, {1}, true) + eps);
    normal = center * invstd;
  }
  /// From the gradient times the weight.
  Tensor gradient(const Tensor& g) const {
    const Tensor dx = g - normal * mean(g * normal, {1}, true);
    return (centered ? dx - mean(g, {1}, true) : dx) * invstd;
  }
};

struct RowNormContext {
  kernels::RowNorm kind;
  Saved input, weight;
  kernels::RowNormResult saved;  // without `out`
  Dims shape;
  DType weight_dtype, bias_dtype;
  double eps;
  bool for_input, for_weight, for_bias;

  TensorList fused(const Tensor& grad) const {
    const auto g = kernels::row_norm_backward(kind, grad, input.get(), weight.get(), saved, shape, for_input,
                                              for_weight, for_bias);
    return {g.input, for_weight ? g.weight.to(weight_dtype) : Tensor(), for_bias ? g.bias.to(bias_dtype) : Tensor()};
  }

  /// The same in differentiable operations; half types are computed in float32.
  TensorList composed(const Tensor& grad_in) const {
    const DType wide = saved.invstd.dtype();
    const bool centered = kind == kernels::RowNorm::layer;
    const int64_t rows = saved.invstd.numel(), columns = shape.product();
    const Tensor grad = grad_in.to(wide).reshape({rows, columns});
    const ComposedRows of(input.get().to(wide).reshape({rows, columns}), eps, centered);
    TensorList out(3);
    if (for_weight) out[1] = sum(grad * of.normal, {0}).reshape(shape).to(weight_dtype);
    if (for_bias) out[2] = sum(grad, {0}).reshape(shape).to(bias_dtype);
    if (!for_input) return out;
    const Tensor g = weight.defined() ? grad * weight.get().to(wide).reshape({columns}) : grad;
    out[0] = of.gradient(g).reshape(input.get().sizes()).to(input.dtype());
    return out;
  }
};

Tensor row_norm(const OpCall& call, kernels::RowNorm kind, const Tensor& input, const Dims& shape, const Tensor& weight,
                const Tensor& bias, double eps) {
  auto r = kernels::row_norm(kind, input, shape, weight, bias, eps);
  if (!detail::recorded(input, weight, bias)) return call.done(std::move(r.out));
  const auto wanted = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  const auto dtype = [&](const Tensor& t) { return t.defined() ? t.dtype() : input.dtype(); };
  const RowNormContext context{kind,          Saved(input),   Saved(weight), {Tensor(), r.mean, r.invstd},
                               shape,         dtype(weight),  dtype(bias),   eps,
                               wanted(input), wanted(weight), wanted(bias)};
  return record(call, std::move(r.out), {input, weight, bias}, [context](const Tensor& grad) -> TensorList {
    return grad_enabled() ? context.composed(grad) : context.fused(grad);
  });
}

struct GroupNormContext {
  Saved input, weight;
  kernels::RowNormResult saved;  // without `out`
  int64_t groups;
  Dims per_channel;
  DType weight_dtype, bias_dtype;
  double eps;
  bool for_input, for_weight, for_bias;

  TensorList fused(const Tensor& grad) const {
    const auto g =
        kernels::group_norm_backward(grad, input.get(), groups, weight.get(), saved, for_input, for_weight, for_bias);
    return {g.input, for_weight ? g.weight.to(weight_dtype) : Tensor(), for_bias ? g.bias.to(bias_dtype) : Tensor()};
  }

  TensorList composed(const Tensor& grad_in) const {
    const DType wide = saved.invstd.dtype();
    const Tensor x = input.get().to(wide), grad = grad_in.to(wide);
    const Dims rows{saved.invstd.numel(), x.numel() / std::max<int64_t>(1, saved.invstd.numel())};
    const ComposedRows of(x.reshape(rows), eps, true);
    const auto of_parameter = [&](const Tensor& t, DType dtype) {
      return sum_to(t, per_channel).reshape({per_channel[1]}).to(dtype);
    };
    TensorList out(3);
    if (for_weight) out[1] = of_parameter(grad * of.normal.reshape(x.sizes()), weight_dtype);
    if (for_bias) out[2] = of_parameter(grad, bias_dtype);
    if (!for_input) return out;
    const Tensor g = weight.defined() ? grad * weight.get().to(wide).reshape(per_channel) : grad;
    out[0] = of.gradient(g.reshape(rows)).reshape(x.sizes()).to(input.dtype());
    return out;
  }
};

double epsilon_of(DType dtype) {
  if (dtype == float16) return 0x1p-10;
  if (dtype == bfloat16) return 0x1p-7;
  return dtype == float64 ? 0x1p-52 : 0x1p-23;
}

}  // namespace

Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  if (detail::raises(input, weight, bias))
    return layer_norm(detail::raise(input), normalized_shape, detail::raise(weight), detail::raise(bias), eps);
  const OpCall call("layer_norm", input, normalized_shape, weight, bias, eps);
  return row_norm(call, kernels::RowNorm::layer, input, normalized_shape, weight, bias, eps);
}

Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, std::optional<double> eps) {
  if (detail::raises(input, weight))
    return rms_norm(detail::raise(input), normalized_shape, detail::raise(weight), eps);
  const OpCall call("rms_norm", input, normalized_shape, weight, eps.value_or(-1));
  detail::expect_defined("rms_norm", input, "input");
  return row_norm(call, kernels::RowNorm::rms, input, normalized_shape, weight, {},
                  eps.value_or(epsilon_of(input.dtype())));
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
  if (detail::raises(input, weight, bias))
    return group_norm(detail::raise(input), num_groups, detail::raise(weight), detail::raise(bias), eps);
  constexpr const char* kOp = "group_norm";
  const OpCall call(kOp, input, num_groups, weight, bias, eps);
  detail::expect_defined(kOp, input, "input");
  detail::expect_floating(kOp, input);
  ORDO_CHECK(input.dim() >= 2, ShapeError, kOp, "input must be [N, C, ...], but has shape {}", input.sizes());
  const int64_t channels = input.size(1);
  ORDO_CHECK(num_groups > 0 && channels % num_groups == 0, ValueError, kOp,
             "num_groups = {} must be positive and divide the {} channels", num_groups, channels);
  const DType wide = input.dtype() == float64 ? float64 : float32;
  for (const Tensor& t : {weight, bias}) {
    if (!t.defined()) continue;
    detail::expect_same_device(kOp, input, t);
    ORDO_CHECK(t.dtype() == input.dtype() || t.dtype() == wide, DTypeError, kOp,
               "weight and bias must be of the input's dtype {}, but one is {}", input.dtype(), t.dtype());
    ORDO_CHECK(t.sizes() == Dims({channels}), ShapeError, kOp, "weight and bias must be [{}], but one is {}", channels,
               t.sizes());
  }
  auto r = kernels::group_norm(input, num_groups, weight, bias, eps);
  if (!detail::recorded(input, weight, bias)) return call.done(std::move(r.out));
  Dims per_channel = Dims::filled(input.dim(), 1);
  per_channel[1] = channels;
  const auto wanted = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  const auto dtype = [&](const Tensor& t) { return t.defined() ? t.dtype() : input.dtype(); };
  const GroupNormContext context{Saved(input),   Saved(weight), {Tensor(), r.mean, r.invstd},
                                 num_groups,     per_channel,   dtype(weight),
                                 dtype(bias),    eps,           wanted(input),
                                 wanted(weight), wanted(bias)};
  return record(call, std::move(r.out), {input, weight, bias}, [context](const Tensor& grad) -> TensorList {
    return grad_enabled() ? context.composed(grad) : context.fused(grad);
  });
}

}  // namespace ordo
