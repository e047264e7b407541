#include <ordo/nn/data/synthetic.h>

#include <algorithm>
#include <cmath>

#include <ordo/engine/calls/check.h>
#include <ordo/engine/run/parallel.h>
#include <ordo/engine/tensor/tensor_impl.h>
#include <ordo/nn/data/draws.h>

namespace ordo::data {

namespace {

constexpr int kDigit = 28, kPicture = 32;  // height and width

// -- digits -----------------------------------------------------------------------------------------------------------

struct Point {
  float x, y;
};

// A stroke is a curve through its points (Catmull-Rom) or a polyline. The unit square, y downwards.
struct Stroke {
  bool smooth;
  std::vector<Point> points;
};

const std::vector<Stroke>& glyph(int digit) {
  static const std::vector<Stroke> glyphs[10] = {
      {{true, {{.5, .1}, {.74, .24}, {.8, .5}, {.74, .76}, {.5, .9}, {.26, .76}, {.2, .5}, {.26, .24}, {.5, .1}}}},
      {{false, {{.36, .26}, {.55, .1}, {.55, .9}}}},
      {{true, {{.22, .3}, {.35, .12}, {.6, .1}, {.76, .28}, {.65, .5}, {.4, .72}, {.22, .9}}},
       {false, {{.22, .9}, {.8, .9}}}},
      {{true, {{.25, .15}, {.5, .08}, {.74, .22}, {.68, .42}, {.42, .48}}},
       {true, {{.42, .48}, {.72, .55}, {.78, .75}, {.5, .92}, {.22, .82}}}},
      {{false, {{.62, .9}, {.62, .1}, {.2, .62}, {.82, .62}}}},
      {{false, {{.75, .1}, {.32, .1}, {.28, .45}}},
       {true, {{.28, .45}, {.5, .4}, {.74, .5}, {.76, .75}, {.5, .92}, {.22, .82}}}},
      {{true, {{.7, .12}, {.45, .2}, {.28, .45}, {.24, .7}, {.45, .92}, {.7, .82}, {.74, .62}, {.55, .5}, {.28, .62}}}},
      {{false, {{.2, .1}, {.8, .1}, {.45, .9}}}},
      {{true, {{.5, .48}, {.28, .3}, {.5, .1}, {.72, .3}, {.5, .48}, {.24, .7}, {.5, .92}, {.76, .7}, {.5, .48}}}},
      {{true,
        {{.72, .35}, {.5, .5}, {.28, .38}, {.3, .16}, {.52, .08}, {.72, .2}, {.72, .45}, {.62, .75}, {.45, .92}}}},
  };
  return glyphs[digit];
}

/// From the unit square to pixels: a random matrix and place.
struct Placement {
  float xx, xy, yx, yy, x0, y0;

  explicit Placement(Draws& draws) {
    const float width = draws.between(15, 22), height = draws.between(17, 23);
    const float turn = draws.between(-0.22f, 0.22f), slant = draws.between(-0.25f, 0.25f);
    xx = width;
    xy = height * (slant - turn);
    yx = width * turn;
    yy = height;
    x0 = draws.between(11.5f, 15.5f);
    y0 = draws.between(11.5f, 15.5f);
  }
  Point operator()(Point p) const {
    const float x = p.x - 0.5f, y = p.y - 0.5f;
    return {x0 + xx * x + xy * y, y0 + yx * x + yy * y};
  }
};

/// Keeps for every pixel the square of its distance to the nearest segment.
void draw_segment(Point a, Point b, float reach, float* nearest) {
  const auto low = [&](float v) { return std::max(0, int(v - reach)); };
  const auto high = [&](float v) { return std::min(kDigit - 1, int(v + reach) + 1); };
  const float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  for (int y = low(std::min(a.y, b.y)); y <= high(std::max(a.y, b.y)); ++y) {
    for (int x = low(std::min(a.x, b.x)); x <= high(std::max(a.x, b.x)); ++x) {
      const float px = float(x) - a.x, py = float(y) - a.y;
      const float along = length > 0 ? std::clamp((px * dx + py * dy) / length, 0.0f, 1.0f) : 0.0f;
      const float ex = px - along * dx, ey = py - along * dy;
      float& d = nearest[y * kDigit + x];
      d = std::min(d, ex * ex + ey * ey);
    }
  }
}

Point catmull_rom(Point a, Point b, Point c, Point d, float t) {
  const auto mix = [t](float p, float q, float r, float s) {
    return 0.5f * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t * t + (3 * q - p - 3 * r + s) * t * t * t);
  };
  return {mix(a.x, b.x, c.x, d.x), mix(a.y, b.y, c.y, d.y)};
}

void draw_stroke(const std::vector<Point>& points, bool smooth, float reach, float* nearest) {
  const int n = int(points.size()), pieces = smooth ? 5 : 1;
  Point last = points[0];
  for (int i = 0; i + 1 < n; ++i) {
    const auto at = [&](int k) { return points[size_t(std::clamp(k, 0, n - 1))]; };
    for (int piece = 1; piece <= pieces; ++piece) {
      const Point next =
          smooth ? catmull_rom(at(i - 1), at(i), at(i + 1), at(i + 2), float(piece) / float(pieces)) : at(i + 1);
      draw_segment(last, next, reach, nearest);
      last = next;
    }
  }
}

void draw_digit(int digit, Draws& draws, float* pixels) {
  const Placement place(draws);
  const float radius = draws.between(0.6f, 1.7f), ink = draws.between(0.65f, 1.0f);
  float nearest[kDigit * kDigit];
  std::fill(std::begin(nearest), std::end(nearest), 1e6f);
  std::vector<Point> points;
  for (const Stroke& stroke : glyph(digit)) {
    points.clear();
    for (Point p : stroke.points)
      points.push_back(place({p.x + draws.between(-0.05f, 0.05f), p.y + draws.between(-0.05f, 0.05f)}));
    draw_stroke(points, stroke.smooth, radius + 1, nearest);
  }
  for (int i = 0; i < kDigit * kDigit; ++i) {
    const float coverage = std::clamp(radius + 0.5f - std::sqrt(nearest[i]), 0.0f, 1.0f);
    pixels[i] = std::clamp(ink * coverage + draws.between(-0.15f, 0.15f), 0.0f, 1.0f);
  }
}

// -- figures ----------------------------------------------------------------------------------------------------------

bool odd_stripe(float v) { return (int(v + 64) & 1) != 0; }

/// Whether the class's figure covers (x, y), measured from its middle in units of its size.
bool covers(int figure, float x, float y) {
  const float ax = std::abs(x), ay = std::abs(y), r = x * x + y * y;
  if (figure == 0) return r < 1;
  if (figure == 1) return ax < 0.9f && ay < 0.9f;
  if (figure == 2) return y < 0.8f && ax < (y + 1) * 0.55f;
  if (figure == 3) return r < 1.1f && r > 0.4f;
  if (figure == 4) return (ax < 0.3f && ay < 1) || (ay < 0.3f && ax < 1);
  if (figure == 5) return odd_stripe(y * 2.5f);
  if (figure == 6) return odd_stripe(x * 2.5f);
  if (figure == 7) return odd_stripe((x + y) * 1.8f);
  if (figure == 8) return odd_stripe(x * 2) != odd_stripe(y * 2);
  return std::abs(ax - ay) < 0.35f && r < 1.6f;
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
  for (int y = 0; y < kPicture; ++y) {
    for (int x = 0; x < kPicture; ++x) {
      const bool inside = covers(figure, (float(x) - x0) / size, (float(y) - y0) / size);
      for (int c = 0; c < 3; ++c)
        pixels[(c * kPicture + y) * kPicture + x] =
            std::clamp((inside ? ink[c] : paper[c]) + draws.between(-0.1f, 0.1f), 0.0f, 1.0f);
    }
  }
}

/// `count` square images, each of a class that is drawn first.
template <class Draw>
ImageDataset drawn(const char* op, int64_t count, uint64_t seed, uint64_t kind, int channels, int size, Draw draw) {
  const ordo::detail::OperationName name(op);
  ORDO_CHECK(count >= 0, ValueError, op, "needs a count of at least 0, not {}", count);
  ImageDataset dataset{detail::result({count, channels, size, size}, float32, cpu),
                       detail::result({count}, int64, cpu)};
  float* images = dataset.images.data<float>();
  int64_t* labels = dataset.labels.data<int64_t>();
  parallel_for(0, count, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      Draws draws(seed, kind, uint64_t(i));
      const int label = draws.below(10);
      labels[i] = label;
      draw(label, draws, images + i * channels * size * size);
    }
  });
  return dataset;
}

}  // namespace

ImageDataset synthetic_digits(int64_t count, uint64_t seed) {
  return drawn("synthetic_digits", count, seed, Draws::kDigits, 1, kDigit, draw_digit);
}

ImageDataset synthetic_cifar10(int64_t count, uint64_t seed) {
  return drawn("synthetic_cifar10", count, seed, Draws::kCifar10, 3, kPicture, draw_figure);
}

}  // namespace ordo::data
