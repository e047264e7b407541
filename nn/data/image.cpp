#include <ordo/nn/data/image.h>

#include <cmath>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/kernels/math/math.h>

namespace ordo::data {

static Tensor checked_image(const char* op, const Tensor& t) {
  detail::expect_defined(op, t, "image");
  ORDO_CHECK(t.dim() == 3 && t.numel() > 0 && t.size(1) <= kMostPixels && t.size(2) <= kMostPixels, ShapeError, op,
             "takes images [C, H, W] of at least one pixel and at most {} in a row or column, not {}", kMostPixels,
             t.sizes());
  ORDO_CHECK(t.dtype() == float32, DTypeError, op, "takes float32 images, not {}", t.dtype());
  ORDO_CHECK(t.is_cpu(), DeviceError, op, "takes images in CPU memory; move batches to the device afterwards");
  NoGrad guard;
  return t.detach().contiguous();
}

Image::Image(const char* op, const Tensor& image)
    : tensor(checked_image(op, image)),
      channels(tensor.size(0)),
      height(tensor.size(1)),
      width(tensor.size(2)),
      data(tensor.data<float>()) {}

Image::Image(int64_t channels, int64_t height, int64_t width)
    : tensor(detail::result({channels, height, width}, float32, cpu)),
      channels(channels),
      height(height),
      width(width),
      data(tensor.data<float>()) {}

void expect_part(const char* op, const std::vector<double>& scale, const std::vector<double>& ratio) {
  ORDO_CHECK(scale.size() == 2 && 0 < scale[0] && scale[0] <= scale[1] && scale[1] <= 1, ValueError, op,
             "needs a scale of two numbers, 0 < least <= greatest <= 1");
  ORDO_CHECK(ratio.size() == 2 && 0 < ratio[0] && ratio[0] <= ratio[1] && std::isfinite(ratio[1]), ValueError, op,
             "needs a ratio of two numbers, 0 < least <= greatest");
}

std::optional<Rectangle> random_part(Draws& draws, int64_t height, int64_t width, const std::vector<double>& scale,
                                     const std::vector<double>& ratio) {
  const double least = math::log(ratio[0]), greatest = math::log(ratio[1]);
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = double(height * width) * (scale[0] + (scale[1] - scale[0]) * draws.uniform());
    const double drawn = math::exp(least + (greatest - least) * draws.uniform());
    const double h = math::round_even(math::sqrt(area / drawn)), w = math::round_even(math::sqrt(area * drawn));
    if (!(h >= 1 && w >= 1 && h <= double(height) && w <= double(width))) continue;
    const auto rows = int64_t(h), columns = int64_t(w);
    const int64_t top = draws.below(int(height - rows + 1));
    return Rectangle{top, draws.below(int(width - columns + 1)), rows, columns};
  }
  return {};
}

}  // namespace ordo::data
