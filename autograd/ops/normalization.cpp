#include <ordo/autograd/ops/normalization.h>

#include <algorithm>
#include <optional>

#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/pooling.h>
#include <ordo/autograd/ops/repeat.h>
#include <ordo/kernels/norm/batch_norm.h>
#include <ordo/kernels/norm/group_norm.h>
#include <ordo/kernels/norm/layer_norm.h>

namespace ordo {

namespace {

struct BatchNormContext {
  Saved input, weight;
  kernels::BatchNormResult saved;  // without `out`
  DType weight_dtype, bias_dtype;
  bool training;
  double eps;
  bool for_input, for_weight, for_bias;

  TensorList fused(const Tensor& grad) const {
    const auto g = kernels::batch_norm_backward(grad, input.get(), weight.get(), saved, training);
    return {for_input ? g.input : Tensor(), for_weight ? g.weight.to(weight_dtype) : Tensor(),
            for_bias ? g.bias.to(bias_dtype) : Tensor()};
  }

  /// The same in differentiable operations; half types are computed in float32.
  TensorList composed(const Tensor& grad_in) const {
    const DType wide = saved.mean.dtype();
    const Tensor x = input.get().to(wide), grad = grad_in.to(wide);
    Dims per_channel = Dims::filled(x.dim(), 1), dims;
    per_channel[1] = x.sizes()[1];
    for (int d = 0; d < x.dim(); ++d)
      if (d != 1) dims.push_back(d);
    Tensor center, invstd;
    if (training) {
      center = x - mean(x, dims, true);
      invstd = rsqrt(mean(center * center, dims, true) + eps);
    } else {
      center = x - saved.mean.reshape(per_channel);
      invstd = saved.invstd.reshape(per_channel);
    }
    const Tensor normal = center * invstd;
    TensorList out(3);
    if (for_weight) out[1] = sum(grad * normal, dims).to(weight_dtype);
    if (for_bias) out[2] = sum(grad, dims).to(bias_dtype);
    if (!for_input) return out;
    Tensor g = weight.defined() ? grad * weight.get().to(wide).reshape(per_channel) : grad;
    if (training) {
      const Tensor along = normal * mean(g * normal, dims, true);
      g = g - mean(g, dims, true) - along;
    }
    out[0] = (g * invstd).to(input.dtype());
    return out;
  }
};

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                  const Tensor& bias, bool training, double momentum, double eps) {
  if (detail::raises(input, weight, bias))
    return batch_norm(detail::raise(input), running_mean, running_var, detail::raise(weight), detail::raise(bias),
                      training, momentum, eps);
  const OpCall call("batch_norm", input, running_mean, running_var, weight, bias, training, momentum, eps);
  auto r = [&] {
    std::optional<InPlaceChange> mean_change, var_change;
    if (training && running_mean.defined()) mean_change.emplace(call, running_mean);
    if (training && running_var.defined()) var_change.emplace(call, running_var);
    return kernels::batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps);
  }();
  if (!detail::recorded(input, weight, bias)) return call.done(std::move(r.out));
  const auto wanted = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  const auto dtype = [&](const Tensor& t) { return t.defined() ? t.dtype() : input.dtype(); };
  const BatchNormContext context{Saved(input),  Saved(weight), {Tensor(), r.mean, r.invstd},
                                 dtype(weight), dtype(bias),   training,
                                 eps,           wanted(input), wanted(weight),
                                 wanted(bias)};
  return record(call, std::move(r.out), {input, weight, bias}, [context](const Tensor& grad) -> TensorList {
    return grad_enabled() ? context.composed(grad) : context.fused(grad);
  });
}

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

ORDO_REGISTER_OP({.name = "instance_norm", .family = "norm", .dtypes = kFloatingTypes});

Tensor instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                     const Tensor& bias, bool use_input_stats, double momentum, double eps) {
  if (detail::raises(input, weight, bias))
    return instance_norm(detail::raise(input), running_mean, running_var, detail::raise(weight), detail::raise(bias),
                         use_input_stats, momentum, eps);
  constexpr const char* kOp = "instance_norm";
  const OpCall call(kOp, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps);
  detail::expect_defined(kOp, input, "input");
  detail::expect_floating(kOp, input);
  ORDO_CHECK(input.dim() >= 2, ShapeError, kOp, "input must be [N, C, ...], but has shape {}", input.sizes());
  if (!use_input_stats)
    return call.done(batch_norm(input, running_mean, running_var, weight, bias, false, momentum, eps));
  const int64_t samples = input.size(0), channels = input.size(1);
  const auto check = [&](const Tensor& t, const char* name) {
    if (!t.defined()) return;
    detail::expect_same_device(kOp, input, t);
    ORDO_CHECK(t.sizes() == Dims({channels}), ShapeError, kOp, "{} must have shape [{}], but has {}", name, channels,
               t.sizes());
  };
  check(running_mean, "running_mean");
  check(running_var, "running_var");
  check(weight, "weight");
  check(bias, "bias");
  int64_t cells = 1;
  for (int d = 2; d < input.dim(); ++d) cells *= input.size(d);
  ORDO_CHECK(cells > 1 || samples * channels == 0, ValueError, kOp,
             "needs more than one value per channel, but the input's shape is {}", input.sizes());
  const auto each = [&](const Tensor& t) { return t.defined() ? repeat(t, {samples}) : t; };
  const auto constant = [](const Tensor& t) { return t.defined() ? t.detach() : t; };
  const Tensor means = each(constant(running_mean)), vars = each(constant(running_var));
  Dims merged = input.sizes();
  merged[0] = 1;
  merged[1] = samples * channels;
  const Tensor y =
      batch_norm(input.reshape(merged), means, vars, each(weight), each(bias), true, momentum, eps).view(input.sizes());
  if (means.defined() && samples > 0) {
    const NoGrad guard;  // a mean over the samples, in the order of rule 2
    Tensor(running_mean).copy_(means.view({samples, channels}).mean({0}));
    Tensor(running_var).copy_(vars.view({samples, channels}).mean({0}));
  }
  return call.done(y);
}

ORDO_REGISTER_OP({.name = "local_response_norm",
                  .family = "norm",
                  .dtypes = kFloatingTypes,
                  .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},
                                 {Algorithm::gather, Determinism::device_to_device}},
                  .note = "made of avg_pool; the algorithms are its backward pass's"});

Tensor local_response_norm(const Tensor& input, int64_t size, double alpha, double beta, double k) {
  if (detail::raises(input)) return local_response_norm(detail::raise(input), size, alpha, beta, k);
  constexpr const char* kOp = "local_response_norm";
  const OpCall call(kOp, input, size, alpha, beta, k);
  detail::expect_defined(kOp, input, "input");
  detail::expect_floating(kOp, input);
  ORDO_CHECK(input.dim() >= 3, ShapeError, kOp,
             "input must be [N, C, ...] of three dimensions or more, but has shape {}", input.sizes());
  ORDO_CHECK(size >= 1, ValueError, kOp, "size must be at least 1, but is {}", size);
  const Tensor x = input.to(input.dtype() == float64 ? float64 : float32);
  if (x.numel() == 0) return call.done(input.mul(1));
  const int64_t channels = x.size(1);
  // One plane for each sample, whose rows are the channels. An even size has one window more than there are channels.
  const Tensor squares = square(x).reshape({x.size(0), 1, channels, x.numel() / (x.size(0) * channels)});
  const Tensor average = avg_pool2d(squares, {size, 1}, 1, {size / 2, 0}).narrow(2, 0, channels);
  return call.done((x / average.reshape(x.sizes()).mul(alpha).add(k).pow(beta)).to(input.dtype()));
}

}  // namespace ordo
