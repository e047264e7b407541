#include <ordo/autograd/ops/batch_norm.h>

#include <optional>

#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/norm/batch_norm.h>

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

}  // namespace ordo
