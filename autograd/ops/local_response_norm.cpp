#include <ordo/autograd/ops/local_response_norm.h>

#include <ordo/autograd/ops/avg_pool.h>
#include <ordo/autograd/ops/operation.h>

namespace ordo {

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
