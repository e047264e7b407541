#include <ordo/nn/data/image.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/check.h>
#include <ordo/engine/tensor_impl.h>

namespace ordo::data {

namespace {

Tensor checked_image(const char* op, const Tensor& t) {
  detail::expect_defined(op, t, "image");
  ORDO_CHECK(t.dim() == 3 && t.numel() > 0 && t.size(1) <= kMostPixels && t.size(2) <= kMostPixels, ShapeError, op,
             "takes images [C, H, W] of at least one pixel and at most {} in a row or column, not {}", kMostPixels,
             t.sizes());
  ORDO_CHECK(t.dtype() == float32, DTypeError, op, "takes float32 images, not {}", t.dtype());
  ORDO_CHECK(t.is_cpu(), DeviceError, op, "takes images in CPU memory; move batches to the device afterwards");
  NoGrad guard;
  return t.detach().contiguous();
}

}  // namespace

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

}  // namespace ordo::data
