#include <gtest/gtest.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/index_add.h>
#include <ordo/autograd/ops/scatter.h>
#include <ordo/engine/determinism.h>
#include "tests/kernels/ordering/rule1.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

// Many and few items for a place; lines with and without columns.
TEST(ScatterAdd, keeps_rule_1) {
  const DeterminismGuard guard(Determinism::device_to_device);
  struct Shape {
    int64_t outer, items, destinations, inner;
  };
  for (const Shape& s : {Shape{1, 300, 5, 70}, Shape{3, 200, 50, 1}, Shape{2, 9, 33, 3}, Shape{2, 5, 33, 3},
                         Shape{1, 700, 2100, 18}, Shape{40, 80, 2, 17}})
    for (Device device : test_devices()) {
      const Tensor input = test_mixed_values({s.outer, s.destinations, s.inner}, 1).to(float32);
      const Tensor src = test_mixed_values({s.outer, s.items, s.inner}, 2).to(float32);
      const Tensor index = test_indices({s.outer, s.items, s.inner}, s.destinations, 3);
      const auto at = index.to_vector<int64_t>();
      const auto values = src.to_vector<float>();
      auto want = input.to_vector<float>();
      std::vector<int64_t> places;
      for (size_t i = 0; i < at.size(); ++i)
        places.push_back((int64_t(i) / s.inner / s.items * s.destinations + at[i]) * s.inner + int64_t(i) % s.inner);
      accumulate_by_rule1<float>(want, places, [&](int64_t i) { return values[size_t(i)]; });
      const Tensor got = scatter_add(input.to(device), 1, index.to(device), src.to(device), Algorithm::sorted);
      EXPECT_EQ(bytes_of(got), bytes_of(from_vector(want, input.sizes()))) << s.items << " " << s.destinations;
    }
}

// More destinations than a cache holds sums of: with runs of a group at most, and with a longer one.
TEST(ScatterAdd, many_destinations) {
  const DeterminismGuard guard(Determinism::device_to_device);
  constexpr int64_t kItems = 20000, kPlaces = 140000;
  for (int64_t run : {64, 65, 400}) {
    auto places = test_indices({kItems}, kPlaces, 3).to_vector<int64_t>();
    for (int64_t i = 0; i < run; ++i) places[size_t(i * 7)] = kPlaces;
    const Tensor input = test_mixed_values({kPlaces + 1}, 1).to(float32),
                 src = test_mixed_values({kItems}, 2).to(float32);
    const auto values = src.to_vector<float>();
    auto want = input.to_vector<float>();
    accumulate_by_rule1<float>(want, places, [&](int64_t i) { return values[size_t(i)]; });
    const Tensor got = index_add(input, 0, from_vector(places, {kItems}), src, 1, Algorithm::sorted);
    EXPECT_EQ(bytes_of(got), bytes_of(from_vector(want, input.sizes()))) << run;
  }
}

TEST(ScatterAdd, an_expanded_index_is_an_index_add) {
  const DeterminismGuard guard(Determinism::device_to_device);
  const Tensor input = test_values({2, 6, 3}, 1).to(float32), src = test_mixed_values({2, 700, 3}, 2).to(float32);
  const Tensor index = test_indices({700}, 6, 3);
  for (Device device : test_devices()) {
    const Tensor x = input.to(device), s = src.to(device), i = index.to(device);
    const Tensor expanded = i.view({1, 700, 1}).expand({2, 700, 3});
    const auto want = bytes_of(index_add(x, 1, i, s));
    EXPECT_EQ(bytes_of(scatter_add(x, 1, expanded, s)), want);
    EXPECT_EQ(bytes_of(scatter_add(x, 1, expanded.contiguous(), s)), want);
  }
}

TEST(ScatterAdd, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({2, 3}, {.device = device});
    x.t().scatter_add_(0, from_vector<int64_t>({0, 1, 0, 1}, {2, 2}).to(device), ones({2, 2}, {.device = device}));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 0, 0, 0, 2, 0}));
    x.scatter_add_(1, from_vector<int64_t>({1}, {1, 1}).to(device), x);  // reads x first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{2, 2, 0, 0, 2, 0}));
  }
}

TEST(ScatterAdd, in_place_is_recorded) {
  const Tensor src = ones({2}).set_requires_grad();
  Tensor x = zeros({3}) * 1;
  x.scatter_add_(0, tensor<int64_t>({2, 0}), src);
  (x * tensor<float>({1, 10, 100})).sum().backward();
  EXPECT_EQ(src.grad().to_vector<float>(), (std::vector<float>{100, 1}));
}

TEST(ScatterAdd, bad_input) {
  for (Device device : test_devices()) {
    const TensorOptions on{.device = device}, integers{.dtype = int64, .device = device};
    const Tensor x = zeros({3, 4}, on), index = zeros({2, 4}, integers), src = zeros({2, 4}, on);
    const auto bad_index = [&](int64_t value, const char* text) {
      const Tensor wrong = from_vector<int64_t>({0, 0, value, 0, 0, 0, value, 0}, {2, 4}).to(device);
      EXPECT_ORDO_ERROR((scatter_add(x, 0, wrong, src), cuda::is_available() ? cuda::synchronize() : void()),
                        IndexError, text);
    };
    bad_index(3, "[scatter_add] index[2] = 3");
    bad_index(-1, "[scatter_add] index[2] = -1");
    EXPECT_EQ(scatter_add(x, 0, index, src).sizes(), (Dims{3, 4})) << "usable after an index error";

    EXPECT_ORDO_ERROR(scatter_add({}, 0, index, src), ValueError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, {}, src), ValueError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, index, {}), ValueError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, zeros({3, 4}, integers), src), ShapeError, "scatter_add");  // beyond src
    EXPECT_ORDO_ERROR(scatter_add(x, 0, zeros({2, 5}, integers), zeros({2, 5}, on)), ShapeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, zeros({2}, integers), src), ShapeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, index, zeros({8}, on)), ShapeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, src, src), DTypeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, index, src.to(float64)), DTypeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x.to(boolean), 0, index, src.to(boolean)), DTypeError, "scatter_add");
    EXPECT_ORDO_ERROR(scatter_add(x, 0, index, src, Algorithm::library), ValueError, "scatter_add");
    Tensor expanded = zeros({3, 1}, on).expand({3, 4});
    EXPECT_ORDO_ERROR(expanded.scatter_add_(0, index, src), ShapeError, "scatter_add");
    if (device.is_cuda()) EXPECT_ORDO_ERROR(scatter_add(x, 0, index.to(cpu), src), DeviceError, "scatter_add");
  }
}

}  // namespace
}  // namespace ordo::test
