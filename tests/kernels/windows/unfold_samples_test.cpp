#include "tests/kernels/samples.h"
#include "tests/support/integer_arguments.h"

namespace ordo::test::unfold_samples_test {
namespace {

struct Case {
  const char* label;
  Dims image;  // [N, C, H, W] or [C, H, W]
  Size2 kernel, dilation = 1, padding = 0, stride = 1;

  int64_t windows(int k) const {
    const int64_t size = image[image.size() - 2 + k];
    return (size + 2 * padding[k] - dilation[k] * (kernel[k] - 1) - 1) / stride[k] + 1;
  }
  int64_t channels() const { return image[image.size() - 3]; }
  Dims columns() const {
    Dims sizes{channels() * kernel[0] * kernel[1], windows(0) * windows(1)};
    if (image.size() == 4) sizes.insert(0, image[0]);
    return sizes;
  }
  /// f(element of the columns, element of the images) for all that are not padding.
  template <class F>
  void each(F f) const {
    const int64_t height = image[image.size() - 2], width = image[image.size() - 1];
    const int64_t planes = channels() * (image.size() == 4 ? image[0] : 1);
    int64_t at = 0;
    for (int64_t p = 0; p < planes; ++p)
      for (int64_t u = 0; u < kernel[0]; ++u)
        for (int64_t v = 0; v < kernel[1]; ++v)
          for (int64_t i = 0; i < windows(0); ++i)
            for (int64_t j = 0; j < windows(1); ++j, ++at) {
              const int64_t y = i * stride[0] - padding[0] + u * dilation[0];
              const int64_t x = j * stride[1] - padding[1] + v * dilation[1];
              if (y >= 0 && y < height && x >= 0 && x < width) f(size_t(at), size_t((p * height + y) * width + x));
            }
  }
};

const Case kCases[] = {
    {"2x2", {1, 2, 3, 4}, 2},
    {"image", {2, 4, 5}, {2, 3}},
    {"stride", {2, 1, 5, 6}, 2, 1, 0, {2, 3}},
    {"padding", {1, 2, 3, 4}, 3, 1, {1, 2}, 2},
    {"dilation", {1, 1, 6, 7}, {2, 3}, {2, 3}, 1, {1, 2}},
    {"one_cell", {1, 2, 1, 1}, 1},
    {"padding_only", {1, 1, 2, 2}, 1, 1, 2, 3},
    {"no_samples", {0, 2, 3, 3}, 2},
};

Sample unfold_sample(const Case& c) {
  Sample s = new_sample(c.label, {test_values(c.image, 1)});
  s.run = [c](const TensorList& in) {
    return unfold(in[0], c.kernel, {.dilation = c.dilation, .padding = c.padding, .stride = c.stride});
  };
  s.reference = [c](const TensorList& in) {
    const auto x = in[0].to_vector<double>();
    std::vector<double> out(size_t(c.columns().product()), 0.0);
    c.each([&](size_t column, size_t cell) { out[column] = x[cell]; });
    return out;
  };
  s.gradient = s.inputs[0].numel() < 100;
  return s;
}
Sample fold_sample(const Case& c) {
  Sample s = new_sample(c.label, {test_values(c.columns(), 1)});
  s.run = [c](const TensorList& in) {
    const Size2 size(c.image[c.image.size() - 2], c.image[c.image.size() - 1]);
    return fold(in[0], size, c.kernel, {.dilation = c.dilation, .padding = c.padding, .stride = c.stride});
  };
  s.reference = [c](const TensorList& in) {
    const auto columns = in[0].to_vector<double>();
    std::vector<double> out(size_t(c.image.product()), 0.0);
    c.each([&](size_t column, size_t cell) { out[cell] += columns[column]; });
    return out;
  };
  s.gradient = s.inputs[0].numel() < 100;
  s.tolerance = 16;
  return s;
}

std::vector<Sample> samples(Sample (*make)(const Case&), const std::vector<Case>& more) {
  std::vector<Case> cases(std::begin(kCases), std::end(kCases));
  cases.insert(cases.end(), more.begin(), more.end());
  return samples_of(cases, make);
}
std::vector<Sample> sized(Sample (*make)(const Case&), int64_t n) {
  return {make({"width", {1, 2, 2, n}, {2, 3}, 1, 1}), make({"height", {1, 1, n, 2}, 2, 1, 1, {2, 1}}),
          make({"planes", {n, 1, 3, 2}, 2}), make({"window", {1, 1, 2, n}, {1, n}, 1, {0, n / 2}, {1, n / 4 + 1}})};
}

ORDO_OP_SAMPLES(unfold) { return samples(unfold_sample, {{"large", {2, 3, 33, 29}, 3, 1, 1}}); }
ORDO_OP_SIZES(unfold) { return sized(unfold_sample, n); }
ORDO_OP_SAMPLES(fold) {
  return samples(fold_sample, {{"large", {2, 3, 33, 29}, 3, 1, 1}, {"more_than_64_cells", {1, 1, 20, 21}, 9, 1, 4}});
}
ORDO_OP_SIZES(fold) { return sized(fold_sample, n); }

Tensor image(Device d) { return some(d).view({1, 2, 3}); }
ORDO_OP_INTEGER(unfold, "kernel", unfold(image(d), v));
ORDO_OP_INTEGER(unfold, "dilation", unfold(image(d), 2, {.dilation = v}));
ORDO_OP_INTEGER(unfold, "padding", unfold(image(d), 2, {.padding = v}));
ORDO_OP_INTEGER(unfold, "stride", unfold(image(d), 2, {.stride = v}));
ORDO_OP_INTEGER(unfold, "kernel and padding", unfold(image(d), v, {.padding = v}));
ORDO_OP_INTEGER(fold, "output_size", fold(some(d), v, 1));
ORDO_OP_INTEGER(fold, "height", fold(some(d), {v, 3}, 1));
ORDO_OP_INTEGER(fold, "kernel", fold(some(d), {1, 3}, v));
ORDO_OP_INTEGER(fold, "dilation", fold(some(d), {1, 4}, {1, 2}, {.dilation = v}));
ORDO_OP_INTEGER(fold, "padding", fold(some(d), 1, 1, {.padding = v}));
ORDO_OP_INTEGER(fold, "stride", fold(some(d), {1, 3}, 1, {.stride = v}));

}  // namespace
}  // namespace ordo::test::unfold_samples_test
