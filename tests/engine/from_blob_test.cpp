#include <array>

#include "tests/support/op_samples.h"

namespace ordo::test::from_blob_test {
namespace {

TEST(FromBlob, SharesTheMemory) {
  std::vector<float> values{0, 1, 2, 3, 4, 5};
  Tensor t = from_blob(values.data(), {2, 3});
  EXPECT_EQ(t.data_ptr<float>(), values.data());
  EXPECT_EQ(t.sizes(), Dims({2, 3}));
  t.mul_(2);
  EXPECT_EQ(values, (std::vector<float>{0, 2, 4, 6, 8, 10}));
  values[5] = 7;
  EXPECT_EQ(t.select(1, 2).to_vector<float>(), (std::vector<float>{4, 7}));
}

TEST(FromBlob, CallsTheDeleterOnceWithTheLastView) {
  std::vector<double> values{1, 2, 3, 4};
  std::vector<void*> given_back;
  {
    Tensor row;
    {
      const Tensor t = from_blob(values.data(), {2, 2}, {.deleter = [&](void* p) { given_back.push_back(p); }});
      row = t[1];
    }
    EXPECT_TRUE(given_back.empty());
    EXPECT_EQ(row.to_vector<double>(), (std::vector<double>{3, 4}));
  }
  EXPECT_EQ(given_back, std::vector<void*>{values.data()});
}

TEST(FromBlob, TakesStridesDtypeAndLeaves) {
  std::vector<float> values{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(from_blob(values.data(), {3, 2}, {.strides = Dims{1, 3}}).to_vector<float>(),
            (std::vector<float>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(from_blob(static_cast<void*>(values.data()), 2, float32).to_vector<float>(), (std::vector<float>{0, 1}));
  std::vector<uint8_t> bytes(8, 0);
  EXPECT_EQ(from_blob(bytes.data(), 8).dtype(), uint8);
  EXPECT_EQ(from_blob(bytes.data(), 2, float32).to_vector<float>(), (std::vector<float>{0, 0}));
  EXPECT_EQ(from_blob(bytes.data(), 2, "cpu").dtype(), uint8);
  const Tensor weight = from_blob(values.data(), 6, {.requires_grad = true});
  (weight * weight).sum().backward();
  EXPECT_EQ(weight.grad().to_vector<float>(), (std::vector<float>{0, 2, 4, 6, 8, 10}));
}

TEST(FromBlob, RefusesWhatNoTensorCanBe) {
  alignas(8) std::array<char, 64> memory{};
  int deleted = 0;
  const auto options = [&](BlobOptions o) {
    o.deleter = [&](void*) { ++deleted; };
    return o;
  };
  EXPECT_ORDO_ERROR(from_blob(memory.data(), 2, options({})), DTypeError,
                    "[from_blob] this pointer has no element type");
  auto* numbers = reinterpret_cast<float*>(memory.data());
  EXPECT_ORDO_ERROR(from_blob(numbers, 2, options({.dtype = int64})), DTypeError, "elements are float32, not int64");
  EXPECT_ORDO_ERROR(from_blob(memory.data() + 1, 2, options({.dtype = int32})), ShapeError, "not aligned");
  EXPECT_ORDO_ERROR(from_blob(numbers, {2, -1}, options({})), ShapeError, "must not be negative, given [2, -1]");
  EXPECT_ORDO_ERROR(from_blob(numbers, {2, 2}, options({.strides = Dims{1}})), ShapeError, "differ in length");
  EXPECT_ORDO_ERROR(from_blob(numbers, {2, 2}, options({.strides = Dims{-2, 1}})), ShapeError, "given [-2, 1]");
  EXPECT_ORDO_ERROR(from_blob(numbers, {2, 2}, options({.strides = Dims{INT64_MAX, 1}})), ShapeError,
                    "further than memory");
  EXPECT_ORDO_ERROR(from_blob(static_cast<float*>(nullptr), 2, options({})), ValueError, "the pointer is null");
  EXPECT_ORDO_ERROR(from_blob(numbers, 2, options({.device = Device("cuda:99")})), DeviceError, "cuda:99");
  auto* whole = reinterpret_cast<int64_t*>(memory.data());
  EXPECT_ORDO_ERROR(from_blob(whole, 2, options({.requires_grad = true})), DTypeError, "int64");
  EXPECT_EQ(deleted, 0) << "after an error the memory is still the caller's";
  EXPECT_EQ(from_blob(static_cast<float*>(nullptr), {0, 3}, options({})).numel(), 0);
  EXPECT_EQ(deleted, 1);
}

TEST(Accessor, ReadsAndWritesByStrides) {
  Tensor t = arange(6, float32).view({2, 3});
  auto a = t.t().accessor<float, 2>();
  EXPECT_EQ(a.size(0), 3);
  EXPECT_EQ(a[2][1], 5);
  a[2][1] = 9;
  EXPECT_EQ(t.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 9}));
  auto row = t.accessor<float, 2>()[1];
  EXPECT_EQ(row[0], 3);
  EXPECT_ORDO_ERROR(row[3], IndexError, "[accessor] index 3 is outside of a dimension of size 3");
  EXPECT_ORDO_ERROR(a[-1], IndexError, "index -1");
  EXPECT_ORDO_ERROR((t.accessor<double, 2>()), DTypeError, "float32, not float64");
  EXPECT_ORDO_ERROR((t.accessor<float, 1>()), ShapeError, "asked for 1 dimensions; the tensor has shape [2, 3]");
}

}  // namespace
}  // namespace ordo::test::from_blob_test
