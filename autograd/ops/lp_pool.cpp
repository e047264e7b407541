#include <ordo/autograd/ops/lp_pool.h>

#include <ordo/autograd/ops/avg_pool.h>
#include <ordo/autograd/ops/operation.h>
#include <ordo/kernels/windows/sliding.h>

namespace ordo {

#define ORDO_LP_POOL(name_)                                                             \
  ORDO_REGISTER_OP({.name = name_,                                                      \
                    .family = "pooling",                                                \
                    .dtypes = kFloatingTypes,                                           \
                    .algorithms = {{Algorithm::atomic, Determinism::not_guaranteed},    \
                                   {Algorithm::gather, Determinism::device_to_device}}, \
                    .note = "made of avg_pool; the algorithms are its backward pass's"})
ORDO_LP_POOL("lp_pool1d");
ORDO_LP_POOL("lp_pool2d");
ORDO_LP_POOL("lp_pool3d");

namespace {

template <int N, class Average>
Tensor lp_pool(const OpCall& call, const Tensor& input, double norm_type, Size<N> kernel, const Average& average) {
  const char* const op = call.name();
  detail::expect_defined(op, input, "input");
  detail::expect_floating(op, input);
  ORDO_CHECK(norm_type != 0, ValueError, op, "norm_type must not be 0");
  kernels::check_each(op, "kernel_size", kernel, 1);
  double cells = 1;
  for (int64_t k : kernel) cells *= double(k);
  const Tensor powers = average(input.pow(norm_type));
  if (norm_type == 2) return call.done(sqrt(powers.mul(cells)));  // squares have no sign
  return call.done((powers.sign() * powers.abs().relu()).mul(cells).pow(1 / norm_type));
}

}  // namespace

Tensor lp_pool1d(const Tensor& input, double norm_type, Size1 kernel_size, OptionalSize1 stride, bool ceil_mode) {
  const OpCall call("lp_pool1d", input, norm_type, kernel_size, stride.value_or(kernel_size), ceil_mode);
  return lp_pool<1>(call, input, norm_type, kernel_size,
                    [&](const Tensor& x) { return avg_pool1d(x, kernel_size, stride, 0, ceil_mode); });
}
Tensor lp_pool2d(const Tensor& input, double norm_type, Size2 kernel_size, OptionalSize2 stride, bool ceil_mode) {
  const OpCall call("lp_pool2d", input, norm_type, kernel_size, stride.value_or(kernel_size), ceil_mode);
  return lp_pool<2>(call, input, norm_type, kernel_size,
                    [&](const Tensor& x) { return avg_pool2d(x, kernel_size, stride, 0, ceil_mode); });
}
Tensor lp_pool3d(const Tensor& input, double norm_type, Size3 kernel_size, OptionalSize3 stride, bool ceil_mode) {
  const OpCall call("lp_pool3d", input, norm_type, kernel_size, stride.value_or(kernel_size), ceil_mode);
  return lp_pool<3>(call, input, norm_type, kernel_size,
                    [&](const Tensor& x) { return avg_pool3d(x, kernel_size, stride, 0, ceil_mode); });
}

}  // namespace ordo
