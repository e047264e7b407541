// Transforms against plain formulas, and what their random numbers depend on.
#include <algorithm>
#include <cmath>
#include <set>

#include "tests/nn/data/continues.h"

namespace ordo::test::transforms_test {
namespace {

using Floats = std::vector<float>;

/// Values that all differ, in [0, 1).
Tensor picture(int64_t c, int64_t h, int64_t w) {
  Floats v;
  for (int64_t i = 0; i < c * h * w; ++i) v.push_back(float((i * 37 + 11) % (c * h * w)) / float(c * h * w));
  return from_vector(v, {c, h, w});
}

float at(const Tensor& t, int64_t c, int64_t y, int64_t x) {
  return t.data<float>()[(c * t.size(1) + y) * t.size(2) + x];
}

/// f(channel, y, x) of each value.
void for_each(const Tensor& t, const std::function<void(int64_t, int64_t, int64_t)>& f) {
  for (int64_t c = 0; c < t.size(0); ++c)
    for (int64_t y = 0; y < t.size(1); ++y)
      for (int64_t x = 0; x < t.size(2); ++x) f(c, y, x);
}

/// The image's values, and `fill` outside.
float around(const Tensor& t, int64_t c, int64_t y, int64_t x, float fill) {
  return y >= 0 && y < t.size(1) && x >= 0 && x < t.size(2) ? at(t, c, y, x) : fill;
}

Tensor apply(const data::Transform& transform, const Tensor& image, int64_t sample = 0, int64_t epoch = 0,
             uint64_t seed = 0) {
  data::Draws draws = data::Draws::of_sample(seed, epoch, sample);
  return transform.apply(image, draws);
}

TEST(Transforms, crop_is_a_window) {
  const Tensor image = picture(2, 5, 4);
  for (int64_t top : {-7, -2, 0, 3, 6})
    for (int64_t left : {-9, -1, 0, 2, 5}) {
      const Tensor part = data::crop(image, top, left, 3, 6, 9);
      ASSERT_EQ(part.sizes(), (Dims{2, 3, 6}));
      for_each(part, [&](int64_t c, int64_t y, int64_t x) {
        ASSERT_EQ(at(part, c, y, x), around(image, c, top + y, left + x, 9));
      });
    }
  EXPECT_EQ(bytes_of(apply(data::CenterCrop(3, 2), image)), bytes_of(data::crop(image, 1, 1, 3, 2)));
  EXPECT_EQ(bytes_of(apply(data::CenterCrop(2, 7), image)), bytes_of(data::crop(image, 1, -2, 2, 7)));
}

TEST(Transforms, random_crops_reach_every_place_equally) {
  const Tensor image = picture(1, 4, 5);
  std::map<Floats, int> count;
  for (int64_t i = 0; i < 12000; ++i)
    ++count[apply(data::RandomCrop(4, 5, {.padding = 1}), image, i).to_vector<float>()];
  std::set<Floats> windows;
  for (int64_t top = -1; top <= 1; ++top)
    for (int64_t left = -1; left <= 1; ++left) windows.insert(data::crop(image, top, left, 4, 5).to_vector<float>());
  ASSERT_EQ(count.size(), windows.size());
  for (const auto& [window, n] : count) {
    EXPECT_TRUE(windows.contains(window));
    EXPECT_NEAR(n, 12000 / 9, 6 * std::sqrt(12000.0 / 9));
  }
  EXPECT_ORDO_ERROR(apply(data::RandomCrop(5, 5), image), ShapeError, "cannot crop 5 x 5 from an image of 4 x 5");
}

TEST(Transforms, flips) {
  const Tensor image = picture(3, 4, 5);
  const Tensor left = apply(data::RandomHorizontalFlip(1), image), up = apply(data::RandomVerticalFlip(1), image);
  for_each(image, [&](int64_t c, int64_t y, int64_t x) {
    EXPECT_EQ(at(left, c, y, x), at(image, c, y, 4 - x));
    EXPECT_EQ(at(up, c, y, x), at(image, c, 3 - y, x));
  });
  int flipped = 0;
  for (int64_t i = 0; i < 4000; ++i)
    flipped += bytes_of(apply(data::RandomHorizontalFlip(0.25), image, i)) != bytes_of(image);
  EXPECT_NEAR(flipped, 1000, 6 * std::sqrt(4000 * 0.25 * 0.75));
  EXPECT_EQ(bytes_of(apply(data::RandomVerticalFlip(0), image)), bytes_of(image));
}

TEST(Transforms, resize_is_bilinear) {
  const Tensor image = picture(2, 3, 4), resized = apply(data::Resize(5, 2), image);
  ASSERT_EQ(resized.sizes(), (Dims{2, 5, 2}));
  const auto place = [](int64_t o, double scale) { return std::max(0.0, scale * (double(o) + 0.5) - 0.5); };
  for_each(resized, [&](int64_t c, int64_t y, int64_t x) {
    const double sy = place(y, 3.0 / 5), sx = place(x, 4.0 / 2), fy = sy - std::floor(sy), fx = sx - std::floor(sx);
    const auto i = int64_t(sy), j = int64_t(sx), below = std::min<int64_t>(i + 1, 2),
               right = std::min<int64_t>(j + 1, 3);
    const double expected = (1 - fy) * ((1 - fx) * double(at(image, c, i, j)) + fx * double(at(image, c, i, right))) +
                            fy * ((1 - fx) * double(at(image, c, below, j)) + fx * double(at(image, c, below, right)));
    EXPECT_NEAR(at(resized, c, y, x), expected, 1e-6) << "a few roundings of values below 1";
  });
}

TEST(Transforms, rotation) {
  const Tensor image = picture(2, 5, 5);
  const Tensor quarter = data::rotate(image, 90), half = data::rotate(image, -180, 7);
  for_each(image, [&](int64_t c, int64_t y, int64_t x) {
    EXPECT_NEAR(at(quarter, c, y, x), at(image, c, x, 4 - y), 1e-5) << "the right side is on top now";
    if (y > 0 && y < 4 && x > 0 && x < 4) {
      EXPECT_NEAR(at(half, c, y, x), at(image, c, 4 - y, 4 - x), 1e-5);
    }
  });
  EXPECT_EQ(bytes_of(data::rotate(image, 0)), bytes_of(image));
  const Tensor wide = picture(1, 4, 7), turned = data::rotate(wide, 25, 0.5);
  for_each(wide, [&](int64_t, int64_t y, int64_t x) {
    const double a = 25 * M_PI / 180, dy = double(y) - 1.5, dx = double(x) - 3;
    const double sy = 1.5 + dx * std::sin(a) + dy * std::cos(a), sx = 3 + dx * std::cos(a) - dy * std::sin(a);
    double expected = 0;
    for (int64_t i = -5; i < 10; ++i)
      for (int64_t j = -5; j < 13; ++j)
        expected += std::max(0.0, 1 - std::abs(sy - double(i))) * std::max(0.0, 1 - std::abs(sx - double(j))) *
                    double(around(wide, 0, i, j, 0.5f));
    EXPECT_NEAR(at(turned, 0, y, x), expected, 1e-6);
  });
  EXPECT_NE(bytes_of(apply(data::RandomRotation(30), image, 1)), bytes_of(apply(data::RandomRotation(30), image, 2)));
  EXPECT_EQ(bytes_of(apply(data::RandomRotation(0), image)), bytes_of(image));
}

TEST(Transforms, colours) {
  const Tensor image = picture(3, 2, 3), gray_image = picture(1, 2, 3);
  const auto clamp = [](double v) { return std::clamp(v, 0.0, 1.0); };
  const auto gray = [&](int64_t i) {
    const float* v = image.data<float>();
    return 0.2989 * double(v[i]) + 0.587 * double(v[i + 6]) + 0.114 * double(v[i + 12]);
  };
  double mean = 0;
  for (int64_t i = 0; i < 6; ++i) mean += gray(i) / 6;
  for (double f : {0.0, 0.4, 1.0, 2.5}) {
    const Tensor brightness = data::adjust_brightness(image, f), contrast = data::adjust_contrast(image, f),
                 saturation = data::adjust_saturation(image, f);
    for (int64_t i = 0; i < 18; ++i) {
      const double v = double(image.data<float>()[i]);
      EXPECT_NEAR(brightness.data<float>()[i], clamp(f * v), 1e-6);
      EXPECT_NEAR(contrast.data<float>()[i], clamp(f * v + (1 - f) * mean), 1e-6);
      EXPECT_NEAR(saturation.data<float>()[i], clamp(f * v + (1 - f) * gray(i % 6)), 1e-6);
    }
  }
  EXPECT_EQ(bytes_of(data::adjust_saturation(gray_image, 0)), bytes_of(gray_image));
  EXPECT_EQ(bytes_of(data::adjust_hue(gray_image, 0.3)), bytes_of(gray_image));
  // A third of a circle: red becomes green, green blue, and blue red. Half of one: the complement of the same value.
  const Tensor third = data::adjust_hue(image, 1.0 / 3), half = data::adjust_hue(image, 0.5);
  for (int64_t i = 0; i < 6; ++i) {
    const float* v = image.data<float>();
    const float high = std::max({v[i], v[i + 6], v[i + 12]}), low = std::min({v[i], v[i + 6], v[i + 12]});
    for (int64_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(third.data<float>()[i + 6 * ((c + 1) % 3)], v[i + 6 * c], 1e-5);
      EXPECT_NEAR(half.data<float>()[i + 6 * c], high + low - v[i + 6 * c], 1e-5);
    }
  }
  const Tensor two = picture(2, 2, 2);
  EXPECT_ORDO_ERROR(data::adjust_hue(two, 0.1), ShapeError, "takes 1 or 3 channels, not 2");
}

TEST(Transforms, colour_jitter_fills_its_range) {
  const Tensor image = full({3, 1, 1}, 0.5);
  double least = 1, greatest = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const double v = apply(data::ColorJitter({.brightness = 0.4}), image, i).to_vector<double>()[0];
    EXPECT_GE(v, 0.3 - 1e-6);
    EXPECT_LE(v, 0.7 + 1e-6);
    least = std::min(least, v), greatest = std::max(greatest, v);
  }
  EXPECT_LT(least, 0.305);  // of 2000 the lowest hundredth is missed with probability 0.99^2000
  EXPECT_GT(greatest, 0.695);
  EXPECT_EQ(bytes_of(apply(data::ColorJitter({}), image)), bytes_of(image));
}

TEST(Transforms, normalize) {
  const Tensor image = picture(3, 2, 2), out = apply(data::Normalize({0.1, 0.2, 0.3}, {2}), image);
  for_each(out, [&](int64_t c, int64_t y, int64_t x) {
    EXPECT_EQ(at(out, c, y, x), (at(image, c, y, x) - float(0.1 * double(c + 1))) / 2.0f);
  });
  EXPECT_ORDO_ERROR(apply(data::Normalize({1, 2}, {1}), image), ValueError, "takes 1 or 3 means");
}

TEST(Transforms, erasing_fills_one_rectangle) {
  const Tensor image = picture(2, 20, 30);
  int erased = 0;
  for (int64_t i = 0; i < 1000; ++i) {
    const Tensor out = apply(data::RandomErasing({.p = 0.5, .value = -1}), image, i);
    int64_t top = 20, left = 30, bottom = -1, right = -1, area = 0;
    for (int64_t y = 0; y < 20; ++y)
      for (int64_t x = 0; x < 30; ++x) {
        ASSERT_EQ(at(out, 0, y, x) == -1, at(out, 1, y, x) == -1);
        if (at(out, 0, y, x) != -1) {
          ASSERT_EQ(at(out, 0, y, x), at(image, 0, y, x));
          continue;
        }
        top = std::min(top, y), bottom = std::max(bottom, y), left = std::min(left, x), right = std::max(right, x);
        ++area;
      }
    if (area == 0) continue;
    ++erased;
    EXPECT_EQ(area, (bottom - top + 1) * (right - left + 1));
    // Rounding moves each side by at most half a pixel, and an area of 12 has sides of 1.9 or more.
    EXPECT_GE(double(area), 0.5 * 0.02 * 600);
    EXPECT_LE(double(area), 1.3 * 0.33 * 600);
  }
  EXPECT_NEAR(erased, 500, 6 * std::sqrt(250.0));
}

TEST(Transforms, resized_crops) {
  const Tensor image = picture(1, 9, 12);
  EXPECT_EQ(apply(data::RandomResizedCrop(4, 6), image).sizes(), (Dims{1, 4, 6}));
  // Parts of the whole area and ratio are the image; where no part fits, the largest in the middle.
  EXPECT_EQ(bytes_of(apply(data::RandomResizedCrop(9, 12, {.scale = {1, 1}, .ratio = {12.0 / 9, 12.0 / 9}}), image)),
            bytes_of(image));
  EXPECT_EQ(bytes_of(apply(data::RandomResizedCrop(9, 9, {.scale = {1, 1}, .ratio = {1, 1}}), image)),
            bytes_of(data::crop(image, 0, 1, 9, 9)));
}

/// What `draws` gives next, in each pixel.
struct Noise : data::Transform {
  Tensor apply(const Tensor& image, data::Draws& draws) const override {
    Floats v(size_t(image.numel()));
    for (float& x : v) x = draws.between(0, 1);
    return from_vector(v, image.sizes());
  }
};

TEST(Transforms, numbers_depend_on_seed_epoch_sample_and_transform) {
  const Tensor images = zeros({3, 1, 2, 2});
  std::set<std::vector<unsigned char>> all;
  for (uint64_t seed : {0, 1})
    for (int64_t epoch : {0, 1, 2})
      for (int64_t i : {0, 1, 2})
        for (size_t k : {0u, 1u, 2u}) {
          data::TransformList list(k, data::Compose({}));
          list.push_back(Noise());
          const data::TransformedDataset set(data::TensorDataset({images}), list, {.seed = seed});
          all.insert(bytes_of(set.get_in_epoch(i, epoch)[0]));
          EXPECT_EQ(bytes_of(set.get_in_epoch(i, epoch)[0]), bytes_of(set.get_in_epoch(i, epoch)[0]));
        }
  EXPECT_EQ(all.size(), 2u * 3 * 3 * 3);
  const data::TransformedDataset after_others(data::TensorDataset({images}), {Noise(), Noise(), Noise()}, {.seed = 1});
  const data::TransformedDataset alone(data::TensorDataset({images}), {data::Compose({}), data::Compose({}), Noise()},
                                       {.seed = 1});
  EXPECT_EQ(bytes_of(after_others.get(2)[0]), bytes_of(alone.get(2)[0])) << "not on what other transforms drew";
}

TEST(Transforms, choice_and_application) {
  const auto constant = [](double v) { return data::Normalize({-v}, {1}); };  // 0 becomes v
  const Tensor image = zeros({1, 1, 1});
  std::map<float, int> count;
  const data::RandomChoice choice({constant(1), constant(2), constant(3)});
  for (int64_t i = 0; i < 6000; ++i) ++count[apply(choice, image, i).item<float>()];
  ASSERT_EQ(count.size(), 3u);
  for (const auto& [v, n] : count) EXPECT_NEAR(n, 2000, 6 * std::sqrt(6000 * 2.0 / 9));
  count.clear();
  const data::RandomApply sometimes({constant(1), constant(1)}, 0.3);
  for (int64_t i = 0; i < 6000; ++i) ++count[apply(sometimes, image, i).item<float>()];
  ASSERT_EQ(count.size(), 2u);
  EXPECT_NEAR(count[2], 1800, 6 * std::sqrt(6000 * 0.21));
}

TEST(Transforms, loaders_give_the_same_images_with_any_workers_and_continue) {
  const auto make = [](int64_t workers) {
    data::TransformedDataset set(
        data::ImageDataset(picture(1, 40, 30).reshape({12, 1, 10, 10}), arange(0, 12, 1, {.dtype = int64})),
        {data::RandomCrop(8, 8, {.padding = 2}), data::RandomHorizontalFlip(),
         data::RandomApply({data::RandomRotation(20)}), data::ColorJitter({.brightness = 0.5}), data::RandomErasing(),
         data::Normalize({0.5}, {0.25})},
        {.seed = 5});
    return data::DataLoader(set, {.batch_size = 5, .shuffle = true, .generator = Generator(2), .workers = workers});
  };
  auto whole = make(0), other = make(3);
  const Batches first = epoch_of(whole);
  EXPECT_EQ(epoch_of(other), first);
  EXPECT_NE(epoch_of(whole), first);
  for (int64_t workers : {1, 3}) expect_continues([&](bool resumed) { return make(resumed ? 3 - workers : workers); });
}

TEST(Transforms, image_and_mask_alike) {
  const Tensor images = picture(1, 6, 20).reshape({3, 1, 5, 8});
  const data::TransformList list{data::RandomCrop(3, 3), data::RandomVerticalFlip()};
  const data::TransformedDataset one(data::TensorDataset({images, images}), list, {.seed = 3});
  const data::TransformedDataset both(one, list, {.seed = 3, .tensor = 1});
  for (int64_t i = 0; i < 3; ++i) {
    const data::Sample sample = both.get_in_epoch(i, 4);
    EXPECT_EQ(bytes_of(sample[0]), bytes_of(sample[1]));
    EXPECT_EQ(sample[1].sizes(), (Dims{1, 3, 3}));
  }
  EXPECT_ORDO_ERROR(data::TransformedDataset(one, list, {.tensor = 2}).get(0), IndexError, "tensor 2 of samples of 2");
}

TEST(Transforms, wrong_images_and_options) {
  const data::RandomHorizontalFlip flip;
  EXPECT_ORDO_ERROR(apply(flip, zeros({2, 2})), ShapeError, "[RandomHorizontalFlip] takes images [C, H, W]");
  EXPECT_ORDO_ERROR(apply(flip, zeros({1, 0, 2})), ShapeError, "at least one pixel");
  EXPECT_ORDO_ERROR(apply(flip, zeros({1, 2, 2}, {.dtype = uint8})), DTypeError, "float32 images, not uint8");
  EXPECT_ORDO_ERROR(data::RandomHorizontalFlip(1.5), ValueError, "probability");
  EXPECT_ORDO_ERROR(data::RandomCrop(0, 3), ValueError, "height and width");
  EXPECT_ORDO_ERROR(data::RandomCrop(3, 3, {.padding = -1}), ValueError, "padding");
  EXPECT_ORDO_ERROR(data::Resize(3, INT64_MAX), ValueError, "height and width");
  EXPECT_ORDO_ERROR(data::crop(zeros({1, 2, 2}), INT64_MIN, 0, 1, 1), ValueError, "place");
  EXPECT_ORDO_ERROR(data::RandomRotation(-1), ValueError, "angle");
  EXPECT_ORDO_ERROR(data::ColorJitter({.hue = 0.6}), ValueError, "hue");
  EXPECT_ORDO_ERROR(data::ColorJitter({.contrast = -1}), ValueError, "at least 0");
  EXPECT_ORDO_ERROR(data::Normalize({0}, {0}), ValueError, "above 0");
  EXPECT_ORDO_ERROR(data::RandomErasing({.scale = {0.5, 0.1}}), ValueError, "scale");
  EXPECT_ORDO_ERROR(data::RandomErasing({.ratio = {0}}), ValueError, "ratio");
  EXPECT_ORDO_ERROR(data::RandomChoice({}), ValueError, "at least one transform");
  EXPECT_ORDO_ERROR(data::RandomApply({flip}, -0.1), ValueError, "probability");
  EXPECT_ORDO_ERROR(data::Compose({std::shared_ptr<const data::Transform>()}), ValueError, "null");
}

}  // namespace
}  // namespace ordo::test::transforms_test
