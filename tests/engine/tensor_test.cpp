#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "tests/support/memory_caching.h"
#include "tests/support/op_samples.h"

namespace ordo::test::tensor_test {
namespace {

TEST(Tensor, from_and_to_vector) {
  const Tensor t = from_vector<float>({1.5f, -2, 3}, {3});
  EXPECT_EQ(t.dtype(), float32);
  EXPECT_EQ(t.to_vector<double>(), (std::vector<double>{1.5, -2, 3}));
  EXPECT_EQ(t.to_vector<int32_t>(), (std::vector<int32_t>{1, -2, 3}));
  EXPECT_EQ(from_vector<double>({1e300}, {}, {.dtype = float16}).item(), INFINITY);
  EXPECT_EQ(from_vector<double>({0, 0.25}, {2}, {.dtype = boolean}).to_vector<int64_t>(), (std::vector<int64_t>{0, 1}));
  EXPECT_ORDO_ERROR(from_vector<float>({}, {-1}), ShapeError, "negative");
  for (Device device : test_devices()) {
    const Tensor there = from_vector<int64_t>({5, 6, 7, 8}, {2, 2}, {.dtype = int64, .device = device});
    EXPECT_EQ(there.device(), device);
    EXPECT_EQ(there.t().to_vector<int64_t>(), (std::vector<int64_t>{5, 7, 6, 8}));
    EXPECT_EQ(there[1][0].item<int64_t>(), 7);
  }
}

TEST(Tensor, item_and_typed_access) {
  EXPECT_EQ(from_vector<int64_t>({int64_t(1) << 62}, {}).item<int64_t>(), int64_t(1) << 62);
  EXPECT_ORDO_ERROR(zeros({2}).data<double>(), DTypeError, "float32");
}

TEST(Tensor, impossible_sizes) {
  EXPECT_ORDO_ERROR(empty({-1}), ShapeError, "negative");
  EXPECT_ORDO_ERROR(empty({int64_t(1) << 40, int64_t(1) << 40}), ShapeError, "64 bits");
  EXPECT_ORDO_ERROR(empty({int64_t(1) << 60}), OutOfMemoryError, "bytes left");
  EXPECT_EQ(empty({0, int64_t(1) << 62}).numel(), 0);
  EXPECT_ORDO_ERROR(Device("cuda:"), DeviceError, "cuda:");
  EXPECT_ORDO_ERROR(Device("cuda:-1"), DeviceError, "cuda:-1");
  EXPECT_EQ(Device("cuda:3").str(), "cuda:3");
}

TEST(Tensor, prints_like_numpy) {
  EXPECT_EQ(from_vector<float>({1, 2, 3, 4}, {2, 2}).str(), "[[1. 2.]\n [3. 4.]]");
  EXPECT_EQ(from_vector<float>({0.5f, -12.25f}, {2}).str(), "[  0.5  -12.25]");
  EXPECT_EQ(from_vector<int64_t>({1, -20, 300}, {3}).str(), "[  1 -20 300]");
  EXPECT_EQ(from_vector<bool>({true, false}, {2}).str(), "[ True False]");
  EXPECT_EQ(from_vector<float>({NAN, INFINITY, 1}, {3}).str(), "[nan inf  1.]");
  EXPECT_EQ(from_vector<double>({1e-10, 1}, {2}).str(), "[1.e-10 1.e+00]");
  EXPECT_EQ(zeros({0, 3}).str(), "[]");
  EXPECT_EQ(scalar_tensor(2.5).str(), "2.5");
  EXPECT_EQ(from_vector<float>({0.1f}, {1}).str(), "[0.1]");
  EXPECT_EQ(from_vector<float>({0.1f}, {1}).to(float16).str(), "[0.09998]") << "four digits";
  EXPECT_EQ(from_vector<double>({INFINITY, -INFINITY, NAN, 1.5}, {4}).str(), "[ inf -inf  nan  1.5]");
  EXPECT_EQ(zeros({2000}).str(), "[0. 0. 0. ... 0. 0. 0.]");
  EXPECT_EQ(zeros({2, 1, 2}).str(), "[[[0. 0.]]\n\n [[0. 0.]]]");
}

TEST(Tensor, prints_every_number) {
  const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
  EXPECT_EQ(from_vector<double>({least, -1e-310}, {2}).str(), "[ 4.94065646e-324 -1.00000000e-310]");
  EXPECT_EQ(from_vector<double>({most, std::numeric_limits<double>::min()}, {2}).str(),
            "[1.79769313e+308 2.22507386e-308]");
  EXPECT_EQ(full({}, least, float64).str(), "4.94065646e-324");
  EXPECT_EQ(from_vector<float>({std::numeric_limits<float>::denorm_min()}, {1}).str(), "[1.4012985e-45]");
  EXPECT_EQ(full({1}, 0x1p-24, float16).str(), "[5.96e-08]");
  std::ostringstream stream;
  stream << full({1}, least, float64);
  EXPECT_EQ(stream.str(), "[4.94065646e-324] float64 [1]");
}

TEST(Determinism, uninitialised_memory_is_filled_while_a_level_is_on) {
  for (Device device : test_devices()) {
    const DeterminismGuard guard(Determinism::run_to_run);
    for (DType t : {float16, bfloat16, float32, float64})
      for (double v : empty({70}, {.dtype = t, .device = device}).to_vector<double>()) EXPECT_TRUE(std::isnan(v));
    EXPECT_EQ(empty({3}, {.dtype = uint8, .device = device}).to_vector<int64_t>(),
              (std::vector<int64_t>{255, 255, 255}));
    EXPECT_EQ(empty({1}, {.dtype = int32, .device = device}).item<int64_t>(), 2147483647);
    EXPECT_EQ(empty({1}, {.dtype = int64, .device = device}).item<int64_t>(), INT64_MAX);
    EXPECT_EQ(empty({1}, {.dtype = boolean, .device = device}).item<int64_t>(), 1);
    EXPECT_TRUE(std::isnan(empty_strided({2}, {3}, {.device = device}).to_vector<double>()[1]));
    Tensor t = from_vector<float>({1, 2}, {2}, {.device = device});
    t.resize_({2, 2});
    const auto v = t.to_vector<double>();
    EXPECT_EQ(v[0], 1);
    EXPECT_EQ(v[1], 2);
    EXPECT_TRUE(std::isnan(v[2]) && std::isnan(v[3]));
  }
}

TEST(Determinism, levels_guards_and_names) {
  EXPECT_EQ(determinism_from_name("device_to_device"), Determinism::device_to_device);
  EXPECT_ORDO_ERROR(determinism_from_name("yes"), ValueError, "yes");
  const Determinism before = determinism();
  {
    const DeterminismGuard outer(Determinism::run_to_run);
    {
      const DeterminismGuard inner(Determinism::device_to_device);
      EXPECT_EQ(determinism(), Determinism::device_to_device);
      EXPECT_ORDO_ERROR(require_determinism("thing", Determinism::run_to_run, "Lower the level."),
                        NondeterministicError, "thing");
      require_determinism("thing", Determinism::device_to_device, "");
    }
    EXPECT_TRUE(deterministic());
  }
  EXPECT_EQ(determinism(), before);
  use_deterministic_algorithms(true, true);
  EXPECT_EQ(determinism(), Determinism::run_to_run);
  testing::internal::CaptureStderr();
  require_determinism("other_thing", Determinism::not_guaranteed, "Hint.");
  require_determinism("other_thing", Determinism::not_guaranteed, "Hint.");
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("other_thing"), std::string::npos);
  EXPECT_EQ(text.find("other_thing"), text.rfind("other_thing")) << "warned twice";
  set_determinism(before);
}

TEST(Memory, blocks_are_reused_and_counted) {
  const MemoryCachingScope caching(true);
  for (Device device : test_devices()) {
    empty_cache(device);
    const MemoryStats before = memory_stats(device);
    EXPECT_EQ(before.cached_bytes, 0u);
    void* first;
    {
      const Tensor t = empty({1000}, {.device = device});
      first = t.data();
      EXPECT_EQ(memory_stats(device).allocated_bytes - before.allocated_bytes, 4096u);
    }
    EXPECT_EQ(memory_stats(device).cached_bytes, 4096u);
    EXPECT_EQ(empty({1001}, {.device = device}).data(), first) << "the same size class";
    EXPECT_EQ(memory_stats(device).device_allocations - before.device_allocations, 1u);
    EXPECT_ORDO_ERROR(empty({int64_t(1) << 58}, {.device = device}), OutOfMemoryError, "left");
    EXPECT_EQ(memory_stats(device).cached_bytes, 0u) << "the cache is given back before giving up";
    EXPECT_EQ(ones({3}, {.device = device}).to_vector<int64_t>(), (std::vector<int64_t>{1, 1, 1})) << "usable after";
  }
}

TEST(Scalar, converts_to_integers_towards_zero_and_saturates) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Scalar(2.9).to_int64(), 2);
  EXPECT_EQ(Scalar(-2.9).to_int64(), -2);
  EXPECT_EQ(Scalar(-0x1p63).to_int64(), INT64_MIN);
  EXPECT_EQ(Scalar(0x1p63).to_int64(), INT64_MAX);
  EXPECT_EQ(Scalar(inf).to_int64(), INT64_MAX);
  EXPECT_EQ(Scalar(-inf).to_int64(), INT64_MIN);
  EXPECT_EQ(Scalar(std::nan("")).to_int64(), 0);
}

// A pointer would be `true`: full({1}, "0") would be 1.
TEST(Scalar, is_no_text_and_no_address) {
  EXPECT_FALSE((std::is_constructible_v<Scalar, const char*>));
  EXPECT_FALSE((std::is_constructible_v<Scalar, const char(&)[2]>));
  EXPECT_FALSE((std::is_constructible_v<Scalar, void*>));
  EXPECT_FALSE((std::is_constructible_v<Scalar, std::nullptr_t>));
  EXPECT_FALSE(
      (std::is_invocable_v<decltype([](auto on) -> decltype(use_deterministic_algorithms(on)) {}), const char*>));
  EXPECT_TRUE((std::is_convertible_v<bool, Scalar>));
  EXPECT_TRUE(Scalar(true).is_boolean());
}

TEST(DType, promotion_follows_pytorch) {
  EXPECT_EQ(promote(uint8, int32), int32);
  EXPECT_EQ(promote(int64, float16), float16);
  EXPECT_EQ(promote(float16, bfloat16), float32);
  EXPECT_EQ(promote(bfloat16, float64), float64);
  EXPECT_EQ(promote(boolean, uint8), uint8);
  EXPECT_EQ(dtype_from_name("bfloat16"), bfloat16);
  EXPECT_ORDO_ERROR(dtype_from_name("float"), ValueError, "float");
}

}  // namespace
}  // namespace ordo::test::tensor_test
