// Structures of other libraries, made by hand; tests/python/dlpack_test.py asks NumPy and PyTorch.
#include <dlpack/dlpack.h>

#include "tests/support/op_samples.h"

namespace ordo {
namespace {

/// An array of another library: counts how often it was given back.
struct Foreign {
  std::vector<float> values;
  std::vector<int64_t> shape, strides;
  int released = 0;
  DLManagedTensor managed = {};

  Foreign(std::vector<float> v, std::vector<int64_t> sizes, std::vector<int64_t> steps = {})
      : values(std::move(v)), shape(std::move(sizes)), strides(std::move(steps)) {
    constexpr DLDataType floats{kDLFloat, 32, 1};
    managed.dl_tensor = {values.data(), {kDLCPU, 0}, int(shape.size()), floats, shape.data(), nullptr, 0};
    if (!strides.empty()) managed.dl_tensor.strides = strides.data();
    managed.manager_ctx = this;
    managed.deleter = [](DLManagedTensor* self) { ++static_cast<Foreign*>(self->manager_ctx)->released; };
  }
  Foreign(const Foreign&) = delete;
};

TEST(DLPack, SharesMemoryOfOthersUntilTheLastViewIsGone) {
  Foreign array({0, 1, 2, 3, 4, 5}, {2, 3});
  {
    Tensor column;
    {
      Tensor t = from_dlpack(&array.managed);
      EXPECT_EQ(t.sizes(), Dims({2, 3}));
      EXPECT_TRUE(t.is_contiguous());
      t.mul_(2);
      column = t.select(1, 2);
    }
    EXPECT_EQ(array.released, 0);
    array.values[2] = 7;
    EXPECT_EQ(column.to_vector<float>(), (std::vector<float>{7, 10}));
  }
  EXPECT_EQ(array.released, 1);
  EXPECT_EQ(array.values, (std::vector<float>{0, 2, 7, 6, 8, 10}));
}

TEST(DLPack, StridesAndOffsets) {
  Foreign array({0, 1, 2, 3, 4, 5}, {2, 2}, {1, 3});
  array.managed.dl_tensor.byte_offset = 4;
  const Tensor t = from_dlpack(&array.managed);
  EXPECT_EQ(t.to_vector<float>(), (std::vector<float>{1, 4, 2, 5}));
  EXPECT_EQ((t + 1).to_vector<float>(), (std::vector<float>{2, 5, 3, 6}));
}

TEST(DLPack, GradientsOfWhatIsShared) {
  Foreign array({1, 2, 3}, {3});
  Tensor t = from_dlpack(&array.managed).set_requires_grad();
  (t * t).sum().backward();
  EXPECT_EQ(t.grad().to_vector<float>(), (std::vector<float>{2, 4, 6}));
}

TEST(DLPack, ResizingLeavesTheirMemory) {
  Foreign array({1, 2, 3}, {3});
  {
    Tensor t = from_dlpack(&array.managed);
    t.resize_({100});
    EXPECT_EQ(array.released, 1);
    t.fill_(5);
  }
  EXPECT_EQ(array.released, 1);
  EXPECT_EQ(array.values, (std::vector<float>{1, 2, 3}));
}

TEST(DLPack, RefusesWhatNoTensorCanBe) {
  EXPECT_THROW(from_dlpack(nullptr), ValueError);
  Foreign array({1, 2, 3, 4}, {2, 2}, {2, 1});
  DLTensor& t = array.managed.dl_tensor;
  const DLTensor good = t;
  t.dtype = {kDLComplex, 64, 1};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), DTypeError, "code 5, 64 bits");
  t.dtype = {kDLFloat, 32, 4};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), DTypeError, "4 lanes");
  t = good;
  t.device = {kDLVulkan, 0};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), DeviceError, "type 7");
  t = good;
  array.strides = {-2, 1};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "must not be negative, given [-2, 1]");
  array.strides = {INT64_MAX, 1};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "further than memory");
  array.strides = {2, 1};
  array.shape = {2, -1};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "must not be negative, given [2, -1]");
  array.shape = {int64_t(1) << 40, int64_t(1) << 40};
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "more elements than 64 bits");
  array.shape = {2, 2};
  t.ndim = 9;
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "9 dimensions");
  t = good;
  t.byte_offset = 2;
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ShapeError, "not aligned");
  t = good;
  t.data = nullptr;
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ValueError, "the pointer is null");
  t = good;
  t.shape = nullptr;
  EXPECT_ORDO_ERROR(from_dlpack(&array.managed), ValueError, "2 dimensions, but no shape");
  t = good;
  EXPECT_EQ(array.released, 0) << "after an error it is still the caller's";
  EXPECT_EQ(from_dlpack(&array.managed).to_vector<float>(), (std::vector<float>{1, 2, 3, 4}));
}

TEST(DLPack, MemoryThatSeveralElementsShareCannotBeWritten) {
  // Windows of two, one element further each: NumPy's sliding_window_view.
  Foreign windows({1, 2, 3, 4}, {3, 2}, {1, 1});
  Tensor t = from_dlpack(&windows.managed);
  EXPECT_EQ((t * 2).to_vector<float>(), (std::vector<float>{2, 4, 4, 6, 6, 8}));
  EXPECT_ORDO_ERROR(t.mul_(2), ShapeError, "[mul_] cannot write to a tensor of sizes [3, 2] and strides [1, 1]");
  EXPECT_EQ(windows.values, (std::vector<float>{1, 2, 3, 4}));
  t.narrow(0, 0, 1).fill_(0);  // one window
  EXPECT_EQ(windows.values, (std::vector<float>{0, 0, 3, 4}));
  // Columns of a table with gaps share nothing.
  Foreign columns({1, 2, 3, 4, 5, 6}, {2, 2}, {1, 3});
  from_dlpack(&columns.managed).fill_(0);
  EXPECT_EQ(columns.values, (std::vector<float>{0, 0, 3, 0, 0, 6}));
}

TEST(DLPack, GivesItsOwnMemory) {
  for (DType dtype : {boolean, uint8, int32, int64, float16, bfloat16, float32, float64}) {
    Tensor t = arange(6).reshape({2, 3}).to(dtype).t();
    DLManagedTensor* shared = to_dlpack(t);
    EXPECT_EQ(shared->dl_tensor.data, t.data());
    EXPECT_EQ(shared->dl_tensor.ndim, 2);
    EXPECT_EQ(size_t(shared->dl_tensor.dtype.bits), 8 * size_of(dtype));
    const auto before = t.to_vector<double>();
    t = Tensor();  // the structure keeps the memory
    const Tensor back = from_dlpack(shared);
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.strides(), Dims({1, 3}));
    EXPECT_EQ(back.to_vector<double>(), before);
  }
}

TEST(DLPack, TensorsOfOneElementAndOfNone) {
  for (const Tensor& t : {full({}, 2.5), zeros({0, 3})}) {
    const Tensor back = from_dlpack(to_dlpack(t));
    EXPECT_EQ(back.sizes(), t.sizes());
    EXPECT_EQ(back.to_vector<float>(), t.to_vector<float>());
  }
}

TEST(DLPack, WhatCannotBeShared) {
  EXPECT_THROW(to_dlpack(Tensor()), ValueError);
  EXPECT_THROW(to_dlpack(zeros({2}).set_requires_grad()), AutogradError);
  if (cuda::build() == "emulated") {
    EXPECT_THROW(to_dlpack(zeros({2}, {.device = "cuda"})), DeviceError);
  }
}

}  // namespace
}  // namespace ordo
