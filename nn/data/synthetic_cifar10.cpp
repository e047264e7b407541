#include <algorithm>
#include <cmath>

#include <ordo/engine/check.h>
#include <ordo/engine/parallel.h>
#include <ordo/engine/tensor_impl.h>
#include <ordo/nn/data/draws.h>
#include <ordo/nn/data/synthetic.h>

namespace ordo::data {

namespace {

constexpr int kSize = 32;

bool odd_stripe(float v) { return (int(v + 64) & 1) != 0; }

/// Whether the class's figure covers (x, y), measured from its middle in units of its size.
bool covers(int figure, float x, float y) {
  const float ax = std::abs(x), ay = std::abs(y), r = x * x + y * y;
  switch (figure) {
    case 0:
      return r < 1;
    case 1:
      return ax < 0.9f && ay < 0.9f;
    case 2:
      return y < 0.8f && ax < (y + 1) * 0.55f;
    case 3:
      return r < 1.1f && r > 0.4f;
    case 4:
      return (ax < 0.3f && ay < 1) || (ay < 0.3f && ax < 1);
    case 5:
      return odd_stripe(y * 2.5f);
    case 6:
      return odd_stripe(x * 2.5f);
    case 7:
      return odd_stripe((x + y) * 1.8f);
    case 8:
      return odd_stripe(x * 2) != odd_stripe(y * 2);
    default:
      return std::abs(ax - ay) < 0.35f && r < 1.6f;
  }
}

void draw_figure(int figure, Draws& draws, float* pixels) {
  const float size = draws.between(6, 13);
  const float x0 = draws.between(11, 20), y0 = draws.between(11, 20);
  float ink[3], paper[3], contrast = 0;
  do {
    contrast = 0;
    for (int c = 0; c < 3; ++c) {
      ink[c] = draws.between(0, 1);
      paper[c] = draws.between(0, 1);
      contrast += std::abs(ink[c] - paper[c]);
    }
  } while (contrast < 0.9f);
  for (int y = 0; y < kSize; ++y) {
    for (int x = 0; x < kSize; ++x) {
      const bool inside = covers(figure, (float(x) - x0) / size, (float(y) - y0) / size);
      for (int c = 0; c < 3; ++c)
        pixels[(c * kSize + y) * kSize + x] =
            std::clamp((inside ? ink[c] : paper[c]) + draws.between(-0.1f, 0.1f), 0.0f, 1.0f);
    }
  }
}

}  // namespace

ImageDataset synthetic_cifar10(int64_t count, uint64_t seed) {
  const ordo::detail::OperationName name("synthetic_cifar10");
  ORDO_CHECK(count >= 0, ValueError, "synthetic_cifar10", "needs a count of at least 0, not {}", count);
  ImageDataset dataset{detail::result({count, 3, kSize, kSize}, float32, cpu), detail::result({count}, int64, cpu)};
  float* images = dataset.images.data<float>();
  int64_t* labels = dataset.labels.data<int64_t>();
  parallel_for(0, count, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Draws draws(seed, Draws::kCifar10, uint64_t(i));
      const int figure = draws.below(10);
      labels[i] = figure;
      draw_figure(figure, draws, images + i * 3 * kSize * kSize);
    }
  });
  return dataset;
}

}  // namespace ordo::data
