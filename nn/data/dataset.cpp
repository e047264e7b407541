#include <ordo/nn/data/dataset.h>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>
#include <ordo/engine/memory/out_of_memory.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>

namespace ordo::data {

TensorDataset::TensorDataset(TensorList tensors) : tensors_(std::move(tensors)) {
  const char* op = "TensorDataset";
  ORDO_CHECK(!tensors_.empty(), ValueError, op, "needs at least one tensor");
  NoGrad guard;
  for (Tensor& t : tensors_) {
    detail::expect_defined(op, t, "tensor");
    ORDO_CHECK(t.dim() > 0 && t.size(0) == tensors_[0].size(0), ShapeError, op,
               "needs tensors with as many rows as each other, given {} and {}", tensors_[0].sizes(), t.sizes());
    t = t.detach().contiguous();
  }
}

Sample TensorDataset::get(int64_t i) const {
  const ordo::detail::LibraryCall library;
  expect_sample("TensorDataset", i, size());
  NoGrad guard;
  Sample sample;
  for (const Tensor& t : tensors_) sample.push_back(t.select(0, i));
  return sample;
}

Sample ImageDataset::get(int64_t i) const {
  const ordo::detail::LibraryCall library;
  expect_sample("ImageDataset", i, size());
  NoGrad guard;
  return {images.detach().select(0, i), labels.detach().select(0, i)};
}

void expect_sample(const char* op, int64_t i, int64_t size) {
  ORDO_CHECK(i >= 0 && i < size, IndexError, op, "sample {} of a set of {}", i, size);
}

Tensor normalize(const Tensor& images, const std::vector<double>& mean, const std::vector<double>& std) {
  const ordo::detail::LibraryCall library;
  const char* op = "normalize";
  detail::expect_defined(op, images, "images");
  ORDO_CHECK(images.dim() == 4, ShapeError, op, "takes images [N, C, H, W], not {}", images.sizes());
  ORDO_CHECK(images.is_cpu(), DeviceError, op, "takes images in CPU memory; move them afterwards");
  const int64_t channels = images.size(1), area = images.size(2) * images.size(3);
  auto fits = [&](const std::vector<double>& v) { return v.size() == 1 || int64_t(v.size()) == channels; };
  ORDO_CHECK(fits(mean) && fits(std), ValueError, op, "takes 1 or {} means and deviations, not {} and {}", channels,
             mean.size(), std.size());
  for (double s : std) ORDO_CHECK(s > 0, ValueError, op, "needs deviations above 0, not {}", s);

  NoGrad guard;
  const Tensor input = images.detach().contiguous();
  Tensor output = detail::result_like(input);
  const float* from = input.data<float>();
  float* to = output.data<float>();
  parallel_for(0, images.size(0) * channels, 64, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const size_t c = size_t(plane % channels);
      const float m = float(mean[mean.size() == 1 ? 0 : c]), s = float(std[std.size() == 1 ? 0 : c]);
      for (int64_t i = plane * area; i < (plane + 1) * area; ++i) to[i] = (from[i] - m) / s;
    }
  });
  return output;
}

}  // namespace ordo::data
