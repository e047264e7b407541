#include <ordo/autograd/ops/pixel_shuffle.h>

#include <ordo/autograd/ops/operation.h>

namespace ordo {

ORDO_REGISTER_OP({.name = "pixel_shuffle", .family = "copy", .dtypes = kAllTypes});
ORDO_REGISTER_OP({.name = "pixel_unshuffle", .family = "copy", .dtypes = kAllTypes});

namespace {

constexpr int64_t kMostFactor = int64_t(1) << 31;

void check(const char* op, const Tensor& input, int64_t factor) {
  detail::expect_defined(op, input, "input");
  ORDO_CHECK(input.dim() >= 3, ShapeError, op, "takes an input of shape [..., C, H, W], not {}", input.sizes());
  ORDO_CHECK(factor >= 1 && factor < kMostFactor, ValueError, op,
             "takes a factor of at least 1 (and below 2^31), not {}", factor);
}

/// The product of all sizes before the last three.
int64_t images(const Tensor& t) {
  int64_t n = 1;
  for (int d = 0; d < t.dim() - 3; ++d) n *= t.sizes()[d];
  return n;
}

Dims with_last(const Tensor& t, int64_t channels, int64_t height, int64_t width) {
  Dims sizes = t.sizes();
  const int64_t last[3] = {channels, height, width};
  for (int k = 0; k < 3; ++k) sizes[t.dim() - 3 + k] = last[k];
  return sizes;
}

}  // namespace

Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor) {
  const OpCall call("pixel_shuffle", input, upscale_factor);
  const int64_t r = upscale_factor;
  const char* const op = call.name();
  check(op, input, r);
  const int64_t channels = input.size(-3), height = input.size(-2), width = input.size(-1);
  ORDO_CHECK(channels % (r * r) == 0, ShapeError, op, "takes a multiple of {} channels, but the input has shape {}",
             r * r, input.sizes());
  const int64_t blocks = channels / (r * r), all = images(input) * blocks;
  const Dims sizes = with_last(input, blocks, height * r, width * r);
  (void)sizes.product(op);
  return call.done(input.reshape({all, r, r, height, width}).permute({0, 3, 1, 4, 2}).clone().view(sizes));
}

Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor) {
  const OpCall call("pixel_unshuffle", input, downscale_factor);
  const int64_t r = downscale_factor;
  const char* const op = call.name();
  check(op, input, r);
  const int64_t channels = input.size(-3), height = input.size(-2), width = input.size(-1);
  ORDO_CHECK(height % r == 0 && width % r == 0, ShapeError, op,
             "takes a height and a width that are multiples of {}, but the input has shape {}", r, input.sizes());
  const Dims split{images(input) * channels, height / r, r, width / r, r};
  (void)split.product(op);
  ORDO_CHECK(channels <= INT64_MAX / (r * r), ShapeError, op, "{} channels of {} pixels are more than can be counted",
             channels, r * r);
  const Dims sizes = with_last(input, channels * r * r, height / r, width / r);
  (void)sizes.product(op);
  return call.done(input.reshape(split).permute({0, 2, 4, 1, 3}).clone().view(sizes));
}

}  // namespace ordo
