#include <gtest/gtest.h>

#include <ordo/autograd/autograd.h>
#include <ordo/autograd/ops/arithmetic.h>
#include <ordo/autograd/ops/index_add.h>
#include <ordo/engine/determinism.h>
#include <ordo/kernels/index_add/index_add.h>
#include "tests/kernels/ordering/rule1.h"
#include "tests/support/op_samples.h"

namespace ordo::test {
namespace {

TEST(IndexAdd, sorted_keeps_rule_1) {
  const DeterminismGuard guard(Determinism::device_to_device);
  for (DType dtype : {float16, bfloat16, float32, float64}) {
    const Tensor input = test_values({50}, 1).to(dtype), source = test_mixed_values({9000}, 2).to(dtype);
    const Tensor index = test_indices({9000}, 50, 3);
    const auto want = [&]<class T>() {
      auto out = input.to_vector<T>();
      const auto v = source.to_vector<T>();
      accumulate_by_rule1<T>(out, index.to_vector<int64_t>(), [&](int64_t i) { return v[size_t(i)]; });
      return bytes_of(from_vector(out, {50}));
    };
    const auto bytes = dtype == float16    ? want.operator()<Half>()
                       : dtype == bfloat16 ? want.operator()<BFloat16>()
                       : dtype == float32  ? want.operator()<float>()
                                           : want.operator()<double>();
    for (Device device : test_devices())
      EXPECT_EQ(bytes_of(index_add(input.to(device), 0, index.to(device), source.to(device), 1, Algorithm::sorted)),
                bytes)
          << name(dtype) << " " << device.str();
  }
}

// An in-place operation finds a bad index before it writes, also where the indices are checked while they are used.
TEST(IndexAdd, a_bad_index_leaves_the_input_as_it_was) {
  for (int64_t n : {100, 300000})
    for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact}) {
      Tensor x = ones({n});
      auto index = test_indices({400000}, n, 1).to_vector<int64_t>();
      index[300001] = n;
      EXPECT_ORDO_ERROR(kernels::index_add_(x, 0, from_vector(index, {400000}), ones({400000}), 1, a), IndexError,
                        "index[300001]");
      EXPECT_EQ(bytes_of(x), bytes_of(ones({n})));
    }
}

TEST(IndexAdd, nothing_has_room_for_an_index) {
  for (Algorithm a : {Algorithm::atomic, Algorithm::sorted, Algorithm::exact})
    EXPECT_ORDO_ERROR(index_add(zeros({0}), 0, tensor<int64_t>({0}), ones({1}), 1, a), IndexError, "index[0]");
}

TEST(IndexAdd, in_place) {
  for (Device device : test_devices()) {
    Tensor x = zeros({4, 3}, {.device = device});
    const Tensor source = ones({2, 4}, {.device = device});
    const Tensor index = tensor<int32_t>({1, 1}).to(device);
    Tensor transposed = x.t();  // not contiguous
    EXPECT_TRUE(transposed.index_add_(0, index, source, 2).is_same(transposed));
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 4, 0, 0, 4, 0, 0, 4, 0, 0, 4, 0}));
    x.index_add_(0, tensor<int64_t>({0, 0, 3, 1}).to(device), x);  // source shares memory: it is read first
    EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 12, 0, 0, 8, 0, 0, 4, 0, 0, 8, 0}));
  }
}

TEST(IndexAdd, in_place_is_recorded) {
  const Tensor source = ones({2}).set_requires_grad();
  Tensor x = zeros({3}) * 1;
  x.index_add_(0, tensor<int64_t>({2, 2}), source, 3);
  (x * tensor<float>({1, 10, 100})).sum().backward();
  EXPECT_EQ(source.grad().to_vector<float>(), (std::vector<float>{300, 300}));
}

TEST(IndexAdd, a_bad_index_changes_nothing_on_the_cpu) {
  Tensor x = ones({3});
  EXPECT_ORDO_ERROR(x.index_add_(0, tensor<int64_t>({0, 1, 3}), ones({3})), IndexError,
                    "[index_add_] index[2] = 3 is out of range for dimension 0 of size 3");
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{1, 1, 1}));
}

TEST(IndexAdd, bad_input) {
  for (Device device : test_devices()) {
    const TensorOptions on{.device = device};
    const Tensor x = zeros({3, 4}, on), index = tensor<int64_t>({0, 2}).to(device), source = zeros({2, 4}, on);
    const auto bad_index = [&](std::initializer_list<int64_t> values, const char* text) {
      EXPECT_ORDO_ERROR((index_add(x, 0, tensor<int64_t>(values).to(device), source),
                         cuda::is_available() ? cuda::synchronize() : void()),
                        IndexError, text);
    };
    bad_index({0, 3}, "[index_add] index[1] = 3");
    bad_index({-1, 0}, "[index_add] index[0] = -1");
    EXPECT_EQ(index_add(x, 0, index, source).sizes(), (Dims{3, 4})) << "usable after an index error";

    EXPECT_ORDO_ERROR(index_add({}, 0, index, source), ValueError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, {}, source), ValueError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, {}), ValueError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 1, index, source), ShapeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, zeros({2, 3}, on)), ShapeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, zeros({2}, on)), ShapeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, zeros({3, 4}, on)), ShapeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, zeros({1, 2}, {.dtype = int64, .device = device}), source), ShapeError,
                      "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, zeros({2}, on), source), DTypeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, zeros({2}, {.dtype = uint8, .device = device}), source), DTypeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, source.to(float64)), DTypeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x.to(boolean), 0, index, source.to(boolean)), DTypeError, "index_add");
    EXPECT_ORDO_ERROR(index_add(x.to(int32), 0, index, source.to(int32), 0.5), ValueError, "alpha");
    EXPECT_ORDO_ERROR(index_add(x, 0, index, source, 1, Algorithm::gather), ValueError, "index_add");
    Tensor expanded = zeros({1, 4}, on).expand({3, 4});
    EXPECT_ORDO_ERROR(expanded.index_add_(0, index, source), ShapeError, "index_add");
    if (device.is_cuda()) EXPECT_ORDO_ERROR(index_add(x, 0, index.to(cpu), source), DeviceError, "index_add");
    const DeterminismGuard guard(Determinism::run_to_run);
    EXPECT_ORDO_ERROR(index_add(x, 0, index, source, 1, Algorithm::atomic), NondeterministicError, "index_add");
  }
}

}  // namespace
}  // namespace ordo::test
