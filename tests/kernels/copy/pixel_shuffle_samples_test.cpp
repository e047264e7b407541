#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::pixel_shuffle_samples_test {
namespace {

/// sizes: of the image with many channels.
Sample sample_of(const char* label, Dims sizes, int64_t r, bool inverse) {
  const int rank = sizes.size();
  const int64_t channels = sizes[rank - 3], height = sizes[rank - 2], width = sizes[rank - 1];
  int64_t images = 1;
  for (int d = 0; d < rank - 3; ++d) images *= sizes[d];
  Dims shuffled = sizes;
  shuffled[rank - 3] = channels / (r * r);
  shuffled[rank - 2] = height * r;
  shuffled[rank - 1] = width * r;
  Sample s = new_sample(label, {test_values(inverse ? shuffled : sizes, 1)});
  s.run = [=](const TensorList& in) { return inverse ? pixel_unshuffle(in[0], r) : pixel_shuffle(in[0], r); };
  s.reference = [=](const TensorList& in) {
    const auto x = in[0].to_vector<double>();
    std::vector<double> out(x.size());
    for (int64_t n = 0; n < images; ++n)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t h = 0; h < height; ++h)
          for (int64_t w = 0; w < width; ++w) {
            const int64_t block = c / (r * r), u = c / r % r, v = c % r;
            const size_t many = size_t(((n * channels + c) * height + h) * width + w);
            const int64_t row = (n * (channels / (r * r)) + block) * height * r + h * r + u;
            const size_t few = size_t(row * width * r + w * r + v);
            if (inverse)
              out[many] = x[few];
            else
              out[few] = x[many];
          }
    return out;
  };
  s.gradient = s.inputs[0].numel() < 100;
  return s;
}
std::vector<Sample> samples(bool inverse) {
  return {sample_of("two", {1, 4, 2, 3}, 2, inverse),
          sample_of("three", {2, 9, 1, 2}, 3, inverse),
          sample_of("image", {8, 2, 2}, 2, inverse),
          sample_of("one", {1, 2, 2, 2}, 1, inverse),
          sample_of("batches", {2, 1, 3, 4, 2, 1}, 2, inverse),
          sample_of("no_images", {0, 4, 2, 2}, 2, inverse),
          sample_of("large", {2, 12, 17, 9}, 2, inverse)};
}
std::vector<Sample> sized(int64_t n, bool inverse) {
  return {sample_of("width", {1, 4, 2, n}, 2, inverse), sample_of("height", {1, 4, n, 1}, 2, inverse),
          sample_of("channels", {2, 4 * n, 1, 2}, 2, inverse)};
}

ORDO_OP_SAMPLES(pixel_shuffle) { return samples(false); }
ORDO_OP_SIZES(pixel_shuffle) { return sized(n, false); }
ORDO_OP_SAMPLES(pixel_unshuffle) { return samples(true); }
ORDO_OP_SIZES(pixel_unshuffle) { return sized(n, true); }

ORDO_OP_INTEGER(pixel_shuffle, "upscale_factor", pixel_shuffle(some(d).view({6, 1, 1}), v));
ORDO_OP_INTEGER(pixel_unshuffle, "downscale_factor", pixel_unshuffle(some(d).view({1, 2, 3}), v));

}  // namespace
}  // namespace ordo::test::pixel_shuffle_samples_test
