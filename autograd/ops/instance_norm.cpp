#include <ordo/autograd/ops/instance_norm.h>

#include <ordo/autograd/ops/batch_norm.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/autograd/ops/repeat.h>

namespace ordo {

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

}  // namespace ordo
