// tensor() of numbers written out, factories that take a device's name, and what << writes.
#include <sstream>

#include "tests/support/op_samples.h"

namespace ordo::test::literal_test {
namespace {

template <class T>
std::string written(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(Literal, ListsAreDimensions) {
  EXPECT_EQ(tensor(3.5).sizes(), Dims());
  EXPECT_EQ(tensor(3.5).item(), 3.5);
  EXPECT_EQ(tensor({5}).sizes(), Dims{1});
  EXPECT_EQ(tensor({{1}}).sizes(), Dims({1, 1}));
  EXPECT_EQ(tensor({{1, 2, 3}, {4, 5, 6}}).sizes(), Dims({2, 3}));
  EXPECT_EQ(tensor({{1, 2, 3}, {4, 5, 6}}).to_vector<int64_t>(), (std::vector<int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensor({{{1.}, {2.}}, {{3.}, {4.}}}).sizes(), Dims({2, 2, 1}));
  EXPECT_EQ(tensor({}).sizes(), Dims{0});
  EXPECT_EQ(tensor(std::vector<std::vector<float>>{{1, 2}, {3, 4}, {5, 6}}).sizes(), Dims({3, 2}));
  EXPECT_ORDO_ERROR(tensor({{1, 2}, {3}}), ShapeError,
                    "[tensor] lists of one depth differ: one has shape [2], another [1]");
  EXPECT_ORDO_ERROR(tensor({{1, 2}, 3}), ShapeError, "one has shape [2], another []");
}

TEST(Literal, NumbersSayTheDtype) {
  EXPECT_EQ(tensor({1, 2}).dtype(), int64);
  EXPECT_EQ(tensor({1, 2.5}).dtype(), float32);
  EXPECT_EQ(tensor({true, false}).dtype(), boolean);
  EXPECT_EQ(tensor({true, false}).to_vector<bool>(), (std::vector<bool>{true, false}));
  EXPECT_EQ(tensor({1.5f}).dtype(), float32);
  EXPECT_EQ(tensor(int64_t(1) << 60).item<int64_t>(), int64_t(1) << 60);
  EXPECT_EQ(tensor({Half(1.5f)}).dtype(), float16);
  EXPECT_EQ(tensor({uint8_t(3)}).dtype(), uint8);
  EXPECT_EQ(tensor({}).dtype(), float32);
  EXPECT_EQ(tensor<double>({1, 2}).dtype(), float64);
  EXPECT_EQ(tensor<int32_t>({{1, 2}, {3, 4}}).dtype(), int32);
  EXPECT_EQ(tensor({1, 2}, float64).dtype(), float64);
  EXPECT_EQ(tensor({1, 2}, "cpu").dtype(), int64);
  EXPECT_TRUE(tensor({1., 2.}, {.requires_grad = true}).requires_grad());
  EXPECT_EQ(tensor(std::vector<double>{0.1, 2}).dtype(), float32);
  EXPECT_EQ(tensor(std::vector<int>{1, 2}).dtype(), int64);
  EXPECT_EQ(tensor(std::vector<uint8_t>{1, 2}).dtype(), uint8);
  EXPECT_EQ(tensor(std::vector<double>{0.1}, float64).item(), 0.1);
}

TEST(Factories, TakeNamesOfDevices) {
  EXPECT_EQ(zeros({3}, "cpu").dtype(), float32);
  EXPECT_EQ(arange(0, 10, int64).dtype(), int64);
  EXPECT_EQ(arange(0, 4, float64).to_vector<double>(), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(arange(3, "cpu").dtype(), int64);
  EXPECT_EQ(arange(0., 3., 1, "cpu").dtype(), float32);
  EXPECT_EQ(eye(2, float64).dtype(), float64);
  EXPECT_EQ(linspace(0, 1, 3, float64).dtype(), float64);
  for (Device device : test_devices()) EXPECT_EQ(zeros({3}, device.str()).device(), device);
}

TEST(Stream, ShowsDtypeShapeAndDevice) {
  EXPECT_EQ(written(Dims({2, 3})), "[2, 3]");
  EXPECT_EQ(written(float32), "float32");
  EXPECT_EQ(written(Device("cuda:1")), "cuda:1");
  EXPECT_EQ(written(tensor({1, 2})), "[1 2] int64 [2]");
  EXPECT_EQ(written(tensor({{1.5, 2}, {3, 4}})), "[[1.5 2. ]\n [3.  4. ]]\nfloat32 [2, 2]");
  EXPECT_EQ(written(tensor(3.5)), "3.5");
  EXPECT_EQ(written(Tensor()), "undefined");
  EXPECT_EQ(written(zeros({0, 3})), "[]\nfloat32 [0, 3]");
  for (Device device : test_devices())
    EXPECT_EQ(written(tensor({1, 2}, device)), device.is_cpu() ? "[1 2] int64 [2]" : "[1 2] int64 [2] cuda:0");
}

}  // namespace
}  // namespace ordo::test::literal_test
