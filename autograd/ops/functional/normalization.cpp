#include <ordo/autograd/ops/functional/normalization.h>

#include <algorithm>

#include <ordo/autograd/ops/functional/pooling.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/shape/repeat.h>
#include <ordo/kernels/norm/norm.h>

namespace ordo {
namespace {

/// Records a normalisation. The gradients of input, weight and bias are what fused(grad, input, weight, result) gives;
/// where they are to be differentiated again, what composed(grad, input, weight, result) makes of operations, in
/// accumulation dtype. Both get the result without its `out`.
template <class Fused, class Composed>
Tensor record_norm(const OpCall& call, kernels::NormResult r, const Tensor& input, const Tensor& weight,
                   const Tensor& bias, Fused fused, Composed composed) {
  Tensor out = std::exchange(r.out, Tensor());
  if (!recorded(input, weight, bias)) return call.done(std::move(out));
  const auto dtype = [&](const Tensor& t) { return t.defined() ? t.dtype() : input.dtype(); };
  const DType weight_dtype = dtype(weight), bias_dtype = dtype(bias);
  return record(call, std::move(out), {input, weight, bias},
                [=, x = Saved(input), w = Saved(weight)](const Tensor& grad) -> TensorList {
                  TensorList grads(3);
                  if (grad_enabled()) {
                    const DType wide = r.invstd.dtype();
                    const Tensor wide_x = x.get().to(wide), wide_grad = grad.to(wide);
                    grads = composed(wide_grad, wide_x, w.defined() && needs(0) ? w.get().to(wide) : Tensor(), r);
                    if (needs(0)) grads[0] = grads[0].to(x.dtype());
                  } else {
                    const auto g = fused(grad, x.get(), w.get(), r);
                    grads = {needs(0) ? g.input : Tensor(), g.weight, g.bias};
                  }
                  grads[1] = needs(1) ? grads[1].to(weight_dtype) : Tensor();
                  grads[2] = needs(2) ? grads[2].to(bias_dtype) : Tensor();
                  return grads;
                });
}

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

Tensor row_norm(const OpCall& call, kernels::RowNorm kind, const Tensor& input, const Dims& shape, const Tensor& weight,
                const Tensor& bias, double eps) {
  const auto s = kernels::row_norm_shape(kind, input, shape, eps);
  return record_norm(
      call, kernels::row_norm(s, input, weight, bias), input, weight, bias,
      [=](const Tensor& grad, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
        return kernels::row_norm_backward(s, grad, x, w, saved, needs(0), needs(1), needs(2));
      },
      [=](const Tensor& grad_in, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
        const int64_t rows = saved.invstd.numel(), columns = shape.product();
        const Tensor grad = grad_in.reshape({rows, columns});
        const ComposedRows of(x.reshape({rows, columns}), eps, s.centered);
        TensorList out(3);
        if (needs(1)) out[1] = sum(grad * of.normal, {0}).reshape(shape);
        if (needs(2)) out[2] = sum(grad, {0}).reshape(shape);
        if (needs(0)) out[0] = of.gradient(w.defined() ? grad * w.reshape({columns}) : grad).reshape(x.sizes());
        return out;
      });
}

double epsilon_of(DType dtype) {
  if (dtype == float16) return 0x1p-10;
  if (dtype == bfloat16) return 0x1p-7;
  return dtype == float64 ? 0x1p-52 : 0x1p-23;
}

}  // namespace

Tensor batch_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                  const Tensor& bias, bool training, double momentum, double eps) {
  const auto again = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return batch_norm(x, running_mean, running_var, w, b, training, momentum, eps);
  };
  ORDO_AUTOCAST(raise, again, input, weight, bias);
  const OpCall call("batch_norm", input, running_mean, running_var, weight, bias, training, momentum, eps);
  auto r = [&] {
    std::optional<InPlaceChange> mean_change, var_change;
    if (training && running_mean.defined()) mean_change.emplace(call, running_mean);
    if (training && running_var.defined()) var_change.emplace(call, running_var);
    return kernels::batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps);
  }();
  return record_norm(
      call, std::move(r), input, weight, bias,
      [=](const Tensor& grad, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
        return kernels::batch_norm_backward(grad, x, w, saved, training);
      },
      [=](const Tensor& grad, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
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
        if (needs(1)) out[1] = sum(grad * normal, dims);
        if (needs(2)) out[2] = sum(grad, dims);
        if (!needs(0)) return out;
        Tensor g = w.defined() ? grad * w.reshape(per_channel) : grad;
        if (training) {
          const Tensor along = normal * mean(g * normal, dims, true);
          g = g - mean(g, dims, true) - along;
        }
        out[0] = g * invstd;
        return out;
      });
}

Tensor layer_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, const Tensor& bias,
                  double eps) {
  ORDO_AUTOCAST_CALL(raise, layer_norm, input, normalized_shape, weight, bias, eps);
  return row_norm(call, kernels::RowNorm::layer, input, normalized_shape, weight, bias, eps);
}

Tensor rms_norm(const Tensor& input, const Dims& normalized_shape, const Tensor& weight, std::optional<double> eps) {
  ORDO_AUTOCAST(raise, rms_norm, input, normalized_shape, weight, eps);
  const OpCall call("rms_norm", input, normalized_shape, weight, eps.value_or(-1));
  detail::expect_defined("rms_norm", input, "input");
  return row_norm(call, kernels::RowNorm::rms, input, normalized_shape, weight, {},
                  eps.value_or(epsilon_of(input.dtype())));
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
  ORDO_AUTOCAST_CALL(raise, group_norm, input, num_groups, weight, bias, eps);
  const char* const kOp = call.name();
  detail::expect_floating(kOp, input, "input");
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
  const auto s = kernels::group_norm_shape(input, num_groups, eps);
  return record_norm(
      call, kernels::row_norm(s, input, weight, bias), input, weight, bias,
      [=](const Tensor& grad, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
        return kernels::row_norm_backward(s, grad, x, w, saved, needs(0), needs(1), needs(2));
      },
      [=](const Tensor& grad, const Tensor& x, const Tensor& w, const kernels::NormResult& saved) {
        Dims per_channel = Dims::filled(x.dim(), 1);
        per_channel[1] = channels;
        const Dims rows{saved.invstd.numel(), x.numel() / std::max<int64_t>(1, saved.invstd.numel())};
        const ComposedRows of(x.reshape(rows), eps, true);
        const auto of_parameter = [&](const Tensor& t) { return sum_to(t, per_channel).reshape({channels}); };
        TensorList out(3);
        if (needs(1)) out[1] = of_parameter(grad * of.normal.reshape(x.sizes()));
        if (needs(2)) out[2] = of_parameter(grad);
        const Tensor g = needs(0) && w.defined() ? grad * w.reshape(per_channel) : grad;
        if (needs(0)) out[0] = of.gradient(g.reshape(rows)).reshape(x.sizes());
        return out;
      });
}

ORDO_REGISTER_OP({.name = "instance_norm", .family = "norm", .dtypes = kFloatingTypes});

Tensor instance_norm(const Tensor& input, const Tensor& running_mean, const Tensor& running_var, const Tensor& weight,
                     const Tensor& bias, bool use_input_stats, double momentum, double eps) {
  const auto again = [&](const Tensor& x, const Tensor& w, const Tensor& b) {
    return instance_norm(x, running_mean, running_var, w, b, use_input_stats, momentum, eps);
  };
  ORDO_AUTOCAST(raise, again, input, weight, bias);
  constexpr const char* kOp = "instance_norm";
  const OpCall call(kOp, input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps);
  detail::expect_floating(kOp, input, "input");
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
  ORDO_AUTOCAST_CALL(raise, local_response_norm, input, size, alpha, beta, k);
  const char* const kOp = call.name();
  detail::expect_floating(kOp, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, kOp,
             "input must be [N, C, ...] of three dimensions or more, but has shape {}", input.sizes());
  ORDO_CHECK(size >= 1, ValueError, kOp, "size must be at least 1, but is {}", size);
  const Tensor x = input.to(input.dtype() == float64 ? float64 : float32);
  if (x.numel() == 0) return call.done(input.mul(1));
  const int64_t channels = x.size(1);
  // One plane for each sample, whose rows are the channels. An even size has one window more than there are channels.
  const Tensor squares = square(x).reshape({x.size(0), 1, channels, x.numel() / (x.size(0) * channels)});
  const Tensor average = avg_pool2d(squares, {size, 1}, {.stride = 1, .padding = {size / 2, 0}}).narrow(2, 0, channels);
  return call.done((x / average.reshape(x.sizes()).mul(alpha).add(k).pow(beta)).to(input.dtype()));
}

}  // namespace ordo
