#include "tools/demo/families.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "tools/demo/schedules.h"

namespace ordo::demo {
namespace {

using Clock = std::chrono::steady_clock;

// Values of very different magnitude, so that the order of their additions shows in the sum.
Tensor mixed_magnitudes(const Dims& sizes, Device device) { return exp(randn(sizes) * 3.0).to(device); }

Family index_add_family(Device device, int64_t shrink) {
  const int64_t rows = 8192 / shrink, width = 64, items = 131072 / shrink;
  const Tensor output = zeros({rows, width}, {.device = device});
  const Tensor index = randint(0, rows, {items}).to(device);
  const Tensor source = mixed_magnitudes({items, width}, device);
  return {"index_add", [=] { return [=] { return index_add(output, 0, index, source); }; }};
}

Family scatter_add_family(Device device, int64_t shrink) {
  const int64_t bins = 65536 / shrink, items = (1 << 20) / shrink;
  const Tensor output = zeros({bins}, {.device = device});
  const Tensor index = randint(0, bins, {items}).to(device);
  const Tensor source = mixed_magnitudes({items}, device);
  return {"scatter_add", [=] { return [=] { return scatter_add(output, 0, index, source); }; }};
}

Family bincount_family(Device device, int64_t shrink) {
  const int64_t bins = 65536 / shrink, items = (1 << 20) / shrink;
  const Tensor input = randint(0, bins, {items}).to(device);
  const Tensor weights = mixed_magnitudes({items}, device);
  return {"bincount", [=] { return [=] { return bincount(input, weights, bins); }; }};
}

// The backward pass of `output`, which was computed from `leaf`, again and again.
std::function<Tensor()> backward_of(const Tensor& output, const Tensor& leaf, const Tensor& gradient) {
  return [=] { return grad({output}, {leaf}, {gradient}, /*retain_graph=*/true)[0]; };
}

Family embedding_bag_family(Device device, int64_t shrink) {
  const int64_t words = 16384 / shrink, width = 64, bags = 8192 / shrink, words_per_bag = 32;
  const Tensor weight = randn({words, width}).to(device).set_requires_grad();
  const Tensor input = randint(0, words, {bags, words_per_bag}).to(device);
  const Tensor gradient = mixed_magnitudes({bags, width}, device);
  return {"embedding_bag",
          [=] { return backward_of(embedding_bag(input, weight, {.mode = EmbeddingBagMode::sum}), weight, gradient); }};
}

Family max_pool2d_family(Device device, int64_t shrink) {
  const int64_t images = std::max<int64_t>(1, 32 / shrink);
  const Tensor input = randn({images, 16, 56, 56}).to(device).set_requires_grad();
  const Tensor gradient = mixed_magnitudes({images, 16, 27, 27}, device);
  return {"max_pool2d", [=] { return backward_of(max_pool2d(input, 3, {.stride = 2}), input, gradient); }};
}

// Milliseconds and distinct bytes of the results.
struct Repeats {
  double median_ms;
  int patterns;
};
Repeats repeat(const Family& family, Device device, int repeats, Determinism level) {
  const DeterminismGuard guard(level);
  const auto run = family.prepare();
  run();  // fills caches
  std::vector<double> times;
  std::set<std::string> patterns;
  for (int i = 0; i < repeats; ++i) {
    if (device.is_cuda()) cuda::synchronize(device);
    use_schedule(i);
    const auto start = Clock::now();
    const Tensor result = run();
    if (device.is_cuda()) cuda::synchronize(device);
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    patterns.insert(sha256_hex({result}));
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return {times[size_t(repeats / 2)], int(patterns.size())};
}

}  // namespace

std::vector<Family> families(Device device, int shrink) {
  manual_seed(1);
  return {index_add_family(device, shrink), scatter_add_family(device, shrink), bincount_family(device, shrink),
          embedding_bag_family(device, shrink), max_pool2d_family(device, shrink)};
}

FamilyResult measure(const Family& family, Device device, int repeats) {
  const Repeats fast = repeat(family, device, repeats, Determinism::not_guaranteed);
  const Repeats deterministic = repeat(family, device, repeats, Determinism::run_to_run);
  return {family.name, fast.median_ms, deterministic.median_ms, fast.patterns, deterministic.patterns};
}

}  // namespace ordo::demo
